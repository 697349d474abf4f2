//! The oracle as a process: started, asked, and read to its end.

use std::io::Write;
use std::process::{Child, Command, Stdio};

/// Starts it with these options.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn start(options: &[&str]) -> Child {
    Command::new(crate::lozenge())
        .arg("oracle")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lozenge starts")
}

/// The answers to these bytes.
///
/// # Panics
/// When the process does not end with 0, or complains.
#[must_use]
pub fn answers_to(input: Vec<u8>) -> Vec<String> {
    let mut child = start(&[]);
    let mut stdin = child.stdin.take().expect("stdin");
    // Answers are read while requests are written: pipes are small.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("lozenge ends");
    writer.join().expect("the writer ends").expect("everything was read");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}
