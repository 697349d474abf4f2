//! Who works the answers out: processes that are ended when they use more than they may.

use crate::oracle::limits::{PerRequest, Served, Worker};
use crate::playground;
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex};
use std::thread;

/// How many answer at a time, and how many questions wait for them.
const AT_A_TIME: usize = 2;
const WAITING: usize = 8;

/// A question, and where its answer goes.
struct Job {
    question: String,
    reply: mpsc::Sender<Vec<u8>>,
}

/// The workers, each with a thread of its own: a worker ends with the thread that started it.
pub struct Workers {
    jobs: Option<SyncSender<Job>>,
}

impl Workers {
    /// Starts the threads; a worker is started with its first question. Where nothing bounds time and memory there are
    /// none, and questions are answered where they come in.
    pub fn start(limits: &PerRequest) -> Self {
        limits.enforce();
        let (jobs, from) = mpsc::sync_channel(WAITING);
        let from = Arc::new(Mutex::new(from));
        let mut started = 0;
        for _ in 0..AT_A_TIME {
            let Some(worker) = limits.worker("serve") else { break };
            let (from, limits) = (Arc::clone(&from), *limits);
            started += usize::from(thread::Builder::new().spawn(move || work(worker, &from, &limits)).is_ok());
        }
        Workers { jobs: (started > 0).then_some(jobs) }
    }

    /// The answer to a question, as JSON.
    pub fn ask(&self, question: &str) -> Vec<u8> {
        let Some(jobs) = &self.jobs else { return playground::answer(question.as_bytes()) };
        let (reply, answer) = mpsc::channel();
        // A worker reads lines. In JSON no line ends inside of a string.
        let question = question.replace(['\n', '\r'], " ");
        match jobs.try_send(Job { question, reply }) {
            Ok(()) => answer.recv().unwrap_or_else(|_| playground::refused("internal", "a worker has ended")),
            Err(TrySendError::Full(_)) => playground::refused("limit", "too many questions at a time: ask again"),
            Err(TrySendError::Disconnected(_)) => playground::refused("internal", "all workers have ended"),
        }
    }
}

fn work(mut worker: Worker, jobs: &Mutex<Receiver<Job>>, limits: &PerRequest) {
    loop {
        let Ok(Job { question, reply }) = jobs.lock().map_err(drop).and_then(|jobs| jobs.recv().map_err(drop)) else {
            return;
        };
        let answer = match worker.answer(&question) {
            Served::Answer(answer) => answer.into_bytes(),
            Served::Limit(which) => playground::refused("limit", &limits.reached(which)),
            Served::Ended(how) => playground::refused("internal", &crate::contained::fault(&how)),
        };
        // Whoever asked may have gone.
        let _ = reply.send(answer);
    }
}
