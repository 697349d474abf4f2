//! Servers that tests start, and requests to them.

use crate::lozenge;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// `lozenge serve` on a port of its own; it ends with the test.
pub struct Server {
    /// The process.
    pub process: Child,
    /// `http://127.0.0.1:PORT/`.
    pub url: String,
    /// `127.0.0.1:PORT`.
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts it with these arguments.
    ///
    /// # Panics
    /// When it does not say where it listens.
    #[must_use]
    pub fn start(args: &[&str]) -> Self {
        Self::of(Command::new(lozenge()), args)
    }

    /// The same of this command.
    ///
    /// # Panics
    /// When it does not say where it listens.
    #[must_use]
    pub fn of(mut command: Command, args: &[&str]) -> Self {
        command.args(["serve", "--port", "0", "--json"]).args(args);
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("lozenge starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let url = said["address"].as_str().expect("an address").to_owned();
        let address = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
        Server { process, url, address }
    }

    /// A connection to it.
    ///
    /// # Panics
    /// When it does not listen.
    #[must_use]
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream
    }

    /// Status and body of the answer to these bytes; no status where the connection is closed without one.
    #[must_use]
    pub fn send(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        // A server that refuses what it has read so far may close before the rest.
        let _ = stream.write_all(bytes);
        answered(&mut stream)
    }

    /// The same for a head and a body, with the server's own name unless the head has one.
    #[must_use]
    pub fn request(&self, line: &str, headers: &[&str], body: &str) -> (u16, String) {
        let mut head = format!("{line} HTTP/1.1\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head += &format!("Host: {}\r\n", self.address);
        }
        headers.iter().for_each(|header| head += &format!("{header}\r\n"));
        if !body.is_empty() {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        self.send(format!("{head}\r\n{body}").as_bytes())
    }

    /// The answer to a question of the page.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn ask(&self, question: &Value) -> Value {
        let (status, body) = self.request("POST /try", &["Content-Type: application/json"], &question.to_string());
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{body}: {error}"))
    }
}

/// Status and body of what a connection answers.
pub fn answered(stream: &mut TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_owned())
}
