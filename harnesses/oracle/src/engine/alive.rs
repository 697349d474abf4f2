//! What lies between us and a supervisor: its end is the end of us, and what an engine writes to its standard error comes
//! back through it.

use crate::output::visible;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How much of an engine's standard error is kept: the end of it.
const KEPT: usize = 4_096;

/// What an engine wrote to its standard error.
#[derive(Clone, Default)]
pub struct Words(Arc<Mutex<Vec<u8>>>);

impl Words {
    /// Forgets.
    pub fn clear(&self) {
        if let Ok(mut words) = self.0.lock() {
            words.clear();
        }
    }

    /// As text, without control characters; none if there is nothing.
    pub fn text(&self) -> Option<String> {
        let words = self.0.lock().ok()?;
        let text = String::from_utf8_lossy(&words);
        let lines: Vec<String> = text.trim().lines().map(visible).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Adds to it.
    #[cfg(unix)]
    fn add(&self, bytes: &[u8]) {
        if let Ok(mut words) = self.0.lock() {
            words.extend_from_slice(bytes);
            let over = words.len().saturating_sub(KEPT);
            words.drain(..over);
        }
    }
}

#[cfg(unix)]
mod held {
    use super::{Duration, Stdio, Words};
    use std::io::Read;
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::thread::{self, JoinHandle};
    use std::time::Instant;

    /// Our end of a pair of sockets; the other is the supervisor's standard error.
    pub struct Alive {
        socket: UnixStream,
        reader: JoinHandle<()>,
    }

    impl Alive {
        /// Both ends.
        pub fn new(words: &Words) -> std::io::Result<(Stdio, Self)> {
            let (theirs, socket) = UnixStream::pair()?;
            let (mut from, words) = (socket.try_clone()?, words.clone());
            let reader = thread::spawn(move || {
                let mut buffer = [0; 1_024];
                while let Ok(read @ 1..) = from.read(&mut buffer) {
                    words.add(&buffer[..read]);
                }
            });
            Ok((Stdio::from(OwnedFd::from(theirs)), Alive { socket, reader }))
        }

        /// Waits until a supervisor that has ended is heard to the end.
        pub fn hear_out(&self, patience: Duration) {
            let began = Instant::now();
            while !self.reader.is_finished() && began.elapsed() < patience {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    impl Drop for Alive {
        fn drop(&mut self) {
            // The reader has a copy: closing ours would not end it.
            let _ = self.socket.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(not(unix))]
mod held {
    use super::{Duration, Stdio, Words};
    use std::io::PipeWriter;

    /// The writing end of a pipe; the other is the supervisor's standard error, and says nothing.
    pub struct Alive(#[allow(dead_code)] PipeWriter);

    impl Alive {
        /// Both ends.
        pub fn new(_: &Words) -> std::io::Result<(Stdio, Self)> {
            let (theirs, ours) = std::io::pipe()?;
            Ok((theirs.into(), Alive(ours)))
        }

        /// There is nothing to hear.
        pub fn hear_out(&self, _: Duration) {}
    }
}

pub use held::Alive;
