//! A browser that tests drive: pages are opened, scripts run in them, keys typed. It speaks the DevTools protocol over two
//! pipes, so no port is opened and nothing is left when the test ends.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long an answer of the browser may take; the machine may be busy with other tests.
const PATIENCE: Duration = Duration::from_secs(90);

/// One page in a browser of its own, with a profile of its own.
pub struct Browser {
    process: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    loaded: bool,
    errors: Vec<String>,
    requests: Vec<String>,
    profile: PathBuf,
}

/// The browser's program.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn program() -> PathBuf {
    let found = ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    });
    found.unwrap_or_else(|| panic!("this test needs Chromium: apt-get install chromium (tests/all does it)"))
}

/// The address of a file.
#[must_use]
pub fn file_url(path: &std::path::Path) -> String {
    format!("file://{}", path.display())
}

fn start(profile: &std::path::Path) -> Child {
    // The browser listens on descriptor 3 and answers on 4.
    Command::new("sh")
        .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"])
        .arg(program())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args(["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--remote-debugging-pipe", "--window-size=1000,800"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("about:blank")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("the browser does not start: {error}"))
}

impl Browser {
    /// Starts a browser and opens a page in it; back when it is loaded.
    ///
    /// # Panics
    /// When there is no browser, or no such page.
    #[must_use]
    pub fn open(url: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let profile = std::env::temp_dir().join(format!("lozenge-browser-{}-{number}", std::process::id()));
        let mut process = start(&profile);
        let (to, from) = (process.stdin.take(), process.stdout.take());
        let (heard, receiver) = channel();
        std::thread::spawn(move || {
            let lines = from.into_iter().flat_map(|from| BufReader::new(from).split(0));
            for message in lines.map_while(Result::ok).filter_map(|line| serde_json::from_slice(&line).ok()) {
                if heard.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            process,
            to,
            from: receiver,
            session: None,
            sent: 0,
            loaded: false,
            errors: Vec::new(),
            requests: Vec::new(),
            profile,
        };
        browser.attach();
        browser.goto(url);
        browser
    }

    fn attach(&mut self) {
        let target = self.command("Target.createTarget", json!({"url": "about:blank"}));
        let to = json!({"targetId": target["targetId"], "flatten": true});
        self.session = self.command("Target.attachToTarget", to)["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.command(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Takes the next message; events are noted, an answer is returned.
    fn heard(&mut self) -> Option<Value> {
        let message = self.from.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("the browser is silent: {error}"));
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Page.loadEventFired") => self.loaded = true,
            Some("Runtime.exceptionThrown") => self.errors.push(params["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => {
                self.errors.push(params["args"].to_string())
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.errors.push(params["entry"].to_string())
            }
            Some("Network.requestWillBeSent") => {
                self.requests.extend(params["request"]["url"].as_str().map(str::to_owned));
            }
            Some(_) => {}
            None => return Some(message),
        }
        None
    }

    /// Sends a command of the DevTools protocol; the answer, or what the browser says against it.
    fn try_command(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let to = self.to.as_mut().ok_or("the browser has ended")?;
        to.write_all(format!("{message}\0").as_bytes()).and_then(|()| to.flush()).map_err(|error| error.to_string())?;
        loop {
            match self.heard() {
                Some(answer) if answer["id"] == self.sent && answer["error"].is_null() => {
                    return Ok(answer["result"].clone());
                }
                Some(answer) if answer["id"] == self.sent => return Err(answer["error"].to_string()),
                _ => {}
            }
        }
    }

    /// Sends any command of the DevTools protocol.
    ///
    /// # Panics
    /// When the browser refuses it.
    pub fn command(&mut self, method: &str, params: Value) -> Value {
        self.try_command(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Opens another page; back when it is loaded.
    ///
    /// # Panics
    /// When there is no such page.
    pub fn goto(&mut self, url: &str) {
        self.loaded = false;
        let answer = self.command("Page.navigate", json!({"url": url}));
        assert!(answer["errorText"].is_null(), "{url}: {answer}");
        // Another place on the same page is there at once, and loads nothing.
        while !self.loaded && !answer["loaderId"].is_null() {
            self.heard();
        }
    }

    fn try_eval(&mut self, js: &str) -> Result<Value, String> {
        let params = json!({"expression": js, "awaitPromise": true, "returnByValue": true, "userGesture": true});
        let answer = self.try_command("Runtime.evaluate", params)?;
        match &answer["exceptionDetails"] {
            Value::Null => Ok(answer["result"]["value"].clone()),
            thrown => Err(thrown.to_string()),
        }
    }

    /// The value of an expression; a promise is waited for.
    ///
    /// # Panics
    /// When the script throws.
    pub fn eval(&mut self, js: &str) -> Value {
        self.try_eval(js).unwrap_or_else(|error| panic!("{js}: {error}"))
    }

    /// Waits until an expression is true. Pages may be left and loaded meanwhile.
    ///
    /// # Panics
    /// When it is not after a minute and a half.
    pub fn wait_until(&mut self, js: &str) {
        let started = Instant::now();
        while self.try_eval(js) != Ok(Value::Bool(true)) {
            assert!(started.elapsed() < PATIENCE, "never true: {js}; errors: {:?}", self.errors);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks the middle of the first element that a selector finds, as a mouse does. A page that is still being laid out
    /// moves what is to be clicked, so it is waited for.
    ///
    /// # Panics
    /// When there is none.
    pub fn click(&mut self, selector: &str) {
        self.wait_until("document.readyState === 'complete'");
        let find = format!(
            "(()=>{{const e=document.querySelector({});e.scrollIntoView({{block:'center',behavior:'instant'}});\
             const r=e.getClientRects()[0];return [r.x+r.width/2,r.y+r.height/2]}})()",
            json!(selector)
        );
        let at = self.eval(&find);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1});
            self.command("Input.dispatchMouseEvent", event);
        }
    }

    /// Types text into whatever has the focus.
    pub fn type_text(&mut self, text: &str) {
        self.command("Input.insertText", json!({"text": text}));
    }

    /// Presses a key by its name: `Enter`, `Tab`, `Escape`.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            _ => 0,
        };
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key, "text": text, "windowsVirtualKeyCode": code});
            self.command("Input.dispatchKeyEvent", event);
        }
    }

    /// Gives the window this size.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", size);
    }

    /// What went wrong in the pages so far: exceptions, `console.error`, what could not be loaded.
    pub fn console_errors(&mut self) -> Vec<String> {
        // What was noted before this question has arrived with its answer.
        self.eval("0");
        self.errors.clone()
    }

    /// The addresses of everything that was loaded so far.
    #[must_use]
    pub fn requests(&self) -> &[String] {
        &self.requests
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser whose pipe is closed ends by itself, and its helpers with it.
        self.to = None;
        let started = Instant::now();
        while matches!(self.process.try_wait(), Ok(None)) && started.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
