//! `lozenge serve`: a page to try it on, from this machine to its own browser. Nothing is loaded from elsewhere.

mod allowed;
mod examples;
mod http;
mod site;
mod workers;
mod written;

use crate::oracle::{self, limits::PerRequest};
use crate::output::{Answer, Exit, Failure, Output, visible};
use crate::playground;
use allowed::Names;
use serde::Serialize;
use site::Site;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use workers::Workers;

const EXAMPLES: &str = "\
Examples:
  lozenge serve                             a page on http://127.0.0.1:7474/
  lozenge serve --open                      and a browser that shows it
  lozenge serve --port 0                    on any port that is free; the first line says which
  lozenge serve --write site --wasm lozenge_playground.wasm    the same page for a static host

The page has a program or constraints on the left, and on the right what infer, project, solve, close and explain say
about it, as one types. Only this machine can ask, and only the page itself: the names in Host and Origin are checked.
One question may take 5 seconds and 512 MiB unless --limits says otherwise; at most two are worked on at a time.

Exit status: 128 + n after signal n, so 130 after Ctrl-C; 0 written; 2 bad input, or a port that is taken.";

/// Serve a page to try programs and constraints on
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The port to listen on; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 7474)]
    port: u16,
    /// The address to listen on; the default is this machine's own, which no other can reach
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// A name that browsers may use for this machine, for --bind; repeat for more
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Show it in a browser
    #[arg(long)]
    open: bool,
    /// The most that one question may use: time (ms), memory (MiB), rank, elements, fuel
    #[arg(long, value_name = "NAME=NUMBER,...", default_value = "time=5000,memory=512")]
    limits: PerRequest,
    /// Write the page for a static host into this folder, and end
    #[arg(long, value_name = "DIR", requires = "wasm")]
    write: Option<PathBuf>,
    /// What answers there: harnesses/playground, built for wasm32-unknown-unknown
    #[arg(long, value_name = "FILE", requires = "write")]
    wasm: Option<PathBuf>,
    /// Answer for the server of this process id, which bounds time and memory
    #[arg(long, hide = true, value_name = "PID")]
    worker: Option<u32>,
}

#[derive(Serialize)]
struct ListensJson {
    address: String,
}

/// Serves until a signal comes.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    if let Some(parent) = args.worker {
        args.limits.enforce();
        return oracle::work(parent, &args.limits, |line| [&playground::answer(line)[..], b"\n"].concat());
    }
    if let (Some(folder), Some(wasm)) = (&args.write, &args.wasm) {
        return written::write(folder, wasm, out);
    }
    // ::ffff:127.0.0.1 is 127.0.0.1 in other words.
    let bind = args.bind.to_canonical();
    if bind.is_unspecified() && args.hosts.is_empty() {
        let message =
            format!("--bind {} listens on every address: say with --host by which name browsers ask", args.bind);
        return Err(Failure::input("usage", message));
    }
    let asked = SocketAddr::new(bind, args.port);
    let listener = TcpListener::bind(asked).map_err(|error| cannot_listen(asked, &error))?;
    let address = listener.local_addr().map_err(|error| cannot_listen(asked, &error))?;
    let site = Arc::new(Site::new(Names::new(address, &args.hosts), Workers::start(&args.limits))?);
    let url = format!("http://{address}/");
    if out.json {
        out.json(&ListensJson { address: url.clone() })?;
    } else {
        out.line(&format!("listening on {url} until Ctrl-C"))?;
        if !bind.is_loopback() {
            out.line("other machines can reach this address")?;
        }
    }
    out.flush()?;
    if args.open {
        open(&url);
    }
    http::listen(&listener, &site);
    Ok(Exit::Yes)
}

/// Why there is no page, and what would be right.
fn cannot_listen(asked: SocketAddr, error: &io::Error) -> Failure {
    let right = match error.kind() {
        ErrorKind::AddrNotAvailable => "; --bind takes an address of this machine",
        ErrorKind::AddrInUse | ErrorKind::PermissionDenied => "; --port 0 takes one that is free",
        _ => "",
    };
    Failure::input("file", format!("cannot listen on {asked}: {error}{right}"))
}

/// Shows it in a browser, as this kind of system does; says so where that fails.
fn open(url: &str) {
    let opener: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["cmd", "/c", "start", ""],
        _ => &["xdg-open"],
    };
    let (program, before) = opener.split_first().unwrap_or((&"xdg-open", &[]));
    let started = Command::new(program).args(before).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    if let Err(error) = started {
        crate::output::complain(&format!("cannot open a browser with {program}: {}", visible(&error.to_string())));
    }
}
