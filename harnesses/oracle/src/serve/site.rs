//! What the server has: the page, and the answers to its questions.

use super::allowed::{Head, Names};
use super::examples;
use super::http::{Answered, Asked};
use super::workers::Workers;
use crate::explain::html::STYLE;
use crate::output::Failure;

/// What a page of this server may do: run its own scripts and ask this server.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
    style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files of the page, beside the script that asks and the examples.
pub const INDEX: &str = include_str!("page/index.html");
pub const PAGE: &str = include_str!("page/page.js");
pub const ASK_SERVER: &str = include_str!("page/ask_server.js");
pub const ASK_WASM: &str = include_str!("page/ask_wasm.js");
pub const WORKER: &str = include_str!("page/worker.js");

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// How the page looks: as the pages of `explain`, and the rest.
pub fn style() -> String {
    format!("{STYLE}\n{}", include_str!("page/page.css"))
}

/// The page, its names, and who answers.
pub struct Site {
    names: Names,
    workers: Workers,
    examples: String,
}

impl Site {
    /// With its examples read.
    pub fn new(names: Names, workers: Workers) -> Result<Self, Failure> {
        Ok(Site { names, workers, examples: examples::script()? })
    }

    /// The answer to a request.
    pub fn answer(&self, asked: &Asked) -> Answered {
        let path = asked.path.split(['?', '#']).next().unwrap_or_default();
        let who = Head {
            host: asked.header("host"),
            origin: asked.header("origin"),
            site: asked.header("sec-fetch-site"),
            navigates: asked.method == "GET" && path == "/" && asked.header("sec-fetch-mode") == Some("navigate"),
        };
        if let Err(why) = self.names.allow(&who) {
            return Answered::refused(403, why);
        }
        match (asked.method.as_str(), path) {
            ("POST", "/try") => self.tried(asked),
            ("GET" | "HEAD", path) => self.file(path),
            (_, "/try") => Answered::refused(405, "questions are sent with POST"),
            _ => Answered::refused(405, "pages are read with GET"),
        }
    }

    fn file(&self, path: &str) -> Answered {
        match path {
            "/" => Answered::ok(HTML, INDEX),
            "/page.css" => Answered::ok("text/css; charset=utf-8", style()),
            "/page.js" => Answered::ok(SCRIPT, PAGE),
            "/ask.js" => Answered::ok(SCRIPT, ASK_SERVER),
            "/examples.js" => Answered::ok(SCRIPT, self.examples.clone()),
            "/try" => Answered::refused(405, "questions are sent with POST"),
            _ => Answered::refused(404, "there is no such page"),
        }
    }

    fn tried(&self, asked: &Asked) -> Answered {
        // A form of another page can send text, but not this without being asked first.
        let kind = asked.header("content-type").and_then(|kind| kind.split(';').next()).map(str::trim);
        if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
            return Answered::refused(415, "a question is application/json");
        }
        match std::str::from_utf8(&asked.body) {
            Ok(question) => Answered::ok("application/json", self.workers.ask(question)),
            Err(_) => Answered::refused(400, "a question is UTF-8"),
        }
    }
}
