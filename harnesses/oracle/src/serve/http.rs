//! HTTP/1.1, as much as a page needs: one request a connection, everything bounded.

use super::site::Site;
use crate::output::complain;
use httparse::{EMPTY_HEADER, Request, Status};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The longest head of a request.
const MOST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// The longest body: a text in JSON may be some times longer than it is.
const MOST_BODY: usize = 2 << 20;
/// How long a request may take to arrive, and how long an answer to leave.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may go on sending what is not read.
const DRAIN: Duration = Duration::from_millis(500);
/// The most connections at a time. A browser has six.
const MOST_CONNECTIONS: usize = 32;

/// A request, its head read.
pub struct Asked {
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    /// A header's value. One that comes twice is none: two readers could take different ones.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(it, _)| it == name).map(|(_, value)| value.as_str());
        values.next().filter(|_| values.next().is_none())
    }
}

/// An answer.
pub struct Answered {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

impl Answered {
    /// That is there.
    pub fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Answered { status: 200, kind, body: body.into() }
    }

    /// An error, as JSON.
    pub fn refused(status: u16, why: &str) -> Self {
        Answered { status, kind: "application/json", body: crate::playground::refused("error", why) }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

/// Answers for ever.
pub fn listen(listener: &TcpListener, site: &Arc<Site>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let stream = match stream {
            Ok(stream) => stream,
            // Descriptors run out, or a client has gone: the next may do better.
            Err(_) => {
                thread::sleep(Duration::from_millis(20));
                continue;
            }
        };
        if open.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            open.fetch_sub(1, Ordering::SeqCst);
            let busy = Answered::refused(503, "too many connections at a time");
            let _ = stream.set_write_timeout(Some(DRAIN)).and_then(|()| write(&stream, &busy, true));
            continue;
        }
        let (site, counted) = (Arc::clone(site), Arc::clone(&open));
        let served = thread::Builder::new().spawn(move || {
            serve(&stream, &site);
            counted.fetch_sub(1, Ordering::SeqCst);
        });
        if let Err(error) = served {
            open.fetch_sub(1, Ordering::SeqCst);
            complain(&format!("cannot answer: {error}"));
        }
    }
}

/// One connection. Whoever has gone away is not told.
fn serve(stream: &TcpStream, site: &Site) {
    let (answer, head_only) = match read(stream) {
        Ok(asked) => {
            let head_only = asked.method == "HEAD";
            (crate::contained::contained(|| site.answer(&asked)), head_only)
        }
        Err(Some(refused)) => (Ok(refused), false),
        Err(None) => return,
    };
    let answer = answer.unwrap_or_else(|fault| Answered::refused(500, &fault));
    let _ = stream.set_write_timeout(Some(PATIENCE));
    if write(stream, &answer, !head_only).is_ok() {
        let _ = stream.shutdown(Shutdown::Write);
        drain(stream);
    }
}

/// Reads what still comes, for a while: a connection that is closed over unread bytes takes the answer with it.
fn drain(mut stream: &TcpStream) {
    let until = Instant::now() + DRAIN;
    let mut nothing = [0; 4096];
    while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        let read = stream.set_read_timeout(Some(left)).and_then(|()| stream.read(&mut nothing));
        if !matches!(read, Ok(n) if n > 0) {
            return;
        }
    }
}

fn write(mut stream: &TcpStream, answer: &Answered, body: bool) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: {}\r\n\r\n",
        answer.status,
        reason(answer.status),
        answer.kind,
        answer.body.len(),
        super::site::POLICY,
    );
    stream.write_all(head.as_bytes())?;
    let until = Instant::now() + PATIENCE;
    let mut rest = if body { &answer.body[..] } else { &[] };
    while !rest.is_empty() && Instant::now() < until {
        let n = stream.write(rest)?;
        rest = &rest[n..];
    }
    stream.flush()
}

/// Reads a whole request; none where the client has gone away.
fn read(stream: &TcpStream) -> Result<Asked, Option<Answered>> {
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let (mut asked, end) = loop {
        if let Some(found) = head(&bytes)? {
            break found;
        }
        if bytes.len() > MOST_HEAD {
            return refuse(431, &format!("the head of a request has at most {MOST_HEAD} bytes"));
        }
        more(stream, &mut bytes, MOST_HEAD + 1, until)?;
    };
    once(&asked)?;
    let length = length(&asked)?;
    let whole = end + length;
    while bytes.len() < whole {
        more(stream, &mut bytes, whole, until)?;
    }
    asked.body = bytes.get(end..whole).unwrap_or_default().to_vec();
    Ok(asked)
}

fn refuse<T>(status: u16, why: &str) -> Result<T, Option<Answered>> {
    Err(Some(Answered::refused(status, why)))
}

/// Reads some bytes, up to so many in all.
fn more(mut stream: &TcpStream, bytes: &mut Vec<u8>, most: usize, until: Instant) -> Result<(), Option<Answered>> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return refuse(408, "the request took too long to arrive");
    }
    let mut chunk = [0; 8192];
    let wanted = chunk.len().min(most.saturating_sub(bytes.len()).max(1));
    let read = stream.set_read_timeout(Some(left)).and_then(|()| stream.read(&mut chunk[..wanted]));
    match read {
        Ok(0) => Err(None),
        Ok(n) => {
            bytes.extend_from_slice(&chunk[..n]);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            refuse(408, "the request took too long to arrive")
        }
        Err(_) => Err(None),
    }
}

/// The head of a request and where it ends, once it is there.
fn head(bytes: &[u8]) -> Result<Option<(Asked, usize)>, Option<Answered>> {
    let mut headers = [EMPTY_HEADER; MOST_HEADERS];
    let mut request = Request::new(&mut headers);
    let end = match request.parse(bytes) {
        Ok(Status::Complete(end)) => end,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return refuse(431, "too many headers"),
        Err(error) => return refuse(400, &format!("no request of HTTP/1.1: {error}")),
    };
    let mut named = Vec::new();
    for header in request.headers.iter() {
        let Ok(value) = std::str::from_utf8(header.value) else { return refuse(400, "a header that is not UTF-8") };
        named.push((header.name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let asked = Asked { method: text(request.method), path: text(request.path), headers: named, body: Vec::new() };
    Ok(Some((asked, end)))
}

/// Headers that may be missing and say who asks. One that stands twice is not one that is missing: of two, one reader
/// takes the first and another the last. The others are refused where they are needed.
const ONCE: [&str; 3] = ["origin", "sec-fetch-site", "sec-fetch-mode"];

fn once(asked: &Asked) -> Result<(), Option<Answered>> {
    let count = |name: &str| asked.headers.iter().filter(|(it, _)| it == name).count();
    match ONCE.iter().find(|name| count(name) > 1) {
        Some(name) => refuse(403, &format!("the header {name} stands there twice")),
        None => Ok(()),
    }
}

/// How long the body is.
fn length(asked: &Asked) -> Result<usize, Option<Answered>> {
    let given = |name: &str| asked.headers.iter().any(|(it, _)| it == name);
    if given("transfer-encoding") {
        return refuse(411, "say the length of the body with Content-Length");
    }
    if !given("content-length") {
        return if asked.method == "POST" {
            refuse(411, "say the length of the body with Content-Length")
        } else {
            Ok(0)
        };
    }
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let digits = asked.header("content-length").filter(is_number);
    match digits.map(|text| text.parse::<usize>()) {
        Some(Ok(length)) if length <= MOST_BODY => Ok(length),
        Some(_) => refuse(413, &format!("a question has at most {MOST_BODY} bytes")),
        None => refuse(400, "Content-Length is one whole number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(result: Result<Option<(Asked, usize)>, Option<Answered>>) -> Result<bool, u16> {
        result.map(|found| found.is_some()).map_err(|refused| refused.map_or(0, |refused| refused.status))
    }

    #[test]
    fn heads_are_read_whole_or_refused() {
        assert_eq!(status(head(b"GET / HTTP/1.1\r\nHost: a\r\n")), Ok(false));
        assert_eq!(status(head(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")), Ok(true));
        assert_eq!(status(head(b"\x16\x03\x01\x02")), Err(400));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(MOST_HEADERS + 1));
        assert_eq!(status(head(many.as_bytes())), Err(431));
        assert_eq!(status(head(b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n")), Err(400));
    }

    #[test]
    fn what_decides_stands_once() {
        let of = |headers: &str| {
            let (asked, _) =
                head(format!("GET / HTTP/1.1\r\n{headers}\r\n").as_bytes()).ok().flatten().expect("a head");
            once(&asked).map_err(|refused| refused.map_or(0, |refused| refused.status))
        };
        assert_eq!(of("Host: a\r\nOrigin: http://a\r\nAccept: x\r\nAccept: y\r\n"), Ok(()));
        for name in ONCE {
            assert_eq!(of(&format!("{name}: a\r\n{}: a\r\n", name.to_uppercase())), Err(403), "{name}");
        }
    }

    #[test]
    fn lengths_are_one_number_within_the_limit() {
        let of = |head_text: &str| {
            let (asked, _) = head(head_text.as_bytes()).ok().flatten().expect("a head");
            length(&asked).map_err(|refused| refused.map_or(0, |refused| refused.status))
        };
        let post = |rest: &str| of(&format!("POST /try HTTP/1.1\r\n{rest}\r\n"));
        assert_eq!(post("Content-Length: 12\r\n"), Ok(12));
        assert_eq!(post(""), Err(411));
        assert_eq!(post("Transfer-Encoding: chunked\r\n"), Err(411));
        assert_eq!(post("Content-Length: 1\r\nContent-Length: 2\r\n"), Err(400));
        assert_eq!(post("Content-Length: -1\r\n"), Err(400));
        assert_eq!(post("Content-Length:\r\n"), Err(400));
        assert_eq!(post("Content-Length: 99999999999999999999999\r\n"), Err(413));
        assert_eq!(of("GET / HTTP/1.1\r\n\r\n"), Ok(0));
    }
}
