//! The floor: the bare browser with pages prepared beforehand; no service, no guard, no egress.
//!
//! It is the same executable with the same flags as Porthole's browser, except for the proxy flags and those for
//! `begin_frame`.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chromiumoxide_cdp::cdp::browser_protocol::browser::BrowserContextId;
use chromiumoxide_cdp::cdp::browser_protocol::emulation::SetDeviceMetricsOverrideParams;
use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchMouseEventParams, DispatchMouseEventType};
use chromiumoxide_cdp::cdp::browser_protocol::page::{CaptureScreenshotParams, EnableParams, NavigateParams};
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    AttachToTargetParams, CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams,
};
use futures_util::future::join_all;
use porthole_chromium::{Process, Profile};
use porthole_service::cdp::{Bounds, Connection, Events, Meter, Session, connect_pipe};
use porthole_tests::{Picture, Stack};
use tokio::time::{Instant, sleep};

use super::contender::{Burst, Contender, HEIGHT, Job, Phases, WIDTH, same};

/// Prefixes of flags of Porthole's browser that the floor does not use.
const EXCLUDED_FLAGS: [&str; 6] = [
    "--proxy-",
    "--host-resolver-rules",
    "--user-data-dir",
    "--enable-begin-frame-control",
    "--run-all-compositor-stages-before-draw",
    "about:blank",
];

/// Maps the site's name for browsers that don't use our resolver.
pub(crate) const NAMES: &str = "--host-resolver-rules=MAP shop.example 127.0.0.1";

pub(crate) struct Floor {
    connection: Connection,
    process: Process,
    _folder: tempfile::TempDir,
    ready: Mutex<Vec<Prepared>>,
}

struct Prepared {
    page: Session,
    loads: Events,
    context: BrowserContextId,
}

impl Floor {
    pub(crate) async fn start(stack: &Stack) -> Self {
        let chromium = stack.chromium();
        let browser = chromium.iter().find(|one| one.is_browser()).expect("Porthole's browser is running");
        let line = std::fs::read(format!("/proc/{}/cmdline", browser.pid)).expect("the browser is still running");
        let line = String::from_utf8(line).expect("flags are text");
        let mut words = line.split('\0').filter(|word| !word.is_empty());
        let executable = PathBuf::from(words.next().expect("an executable"));
        let folder = tempfile::tempdir().expect("a temp folder");
        let profile = Profile::create(folder.path()).expect("a profile folder");
        let mut flags: Vec<String> =
            words.filter(|word| !EXCLUDED_FLAGS.iter().any(|flag| word.starts_with(flag))).map(str::to_owned).collect();
        flags.push(format!("--user-data-dir={}", profile.path().display()));
        flags.push(NAMES.to_owned());
        flags.push("about:blank".to_owned());
        let (process, pipe) = Process::start(&executable, flags, profile).expect("the browser starts");
        let connection = connect_pipe(pipe.reader, pipe.writer, Bounds::default(), Meter::default());
        let floor = Self { connection, process, _folder: folder, ready: Mutex::default() };
        floor.keep_ready(1).await;
        floor
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.process.id()).expect("a process number")
    }

    async fn prepare(&self) -> Prepared {
        let browser = self.connection.browser();
        let context = CreateBrowserContextParams { dispose_on_detach: Some(true), ..Default::default() };
        let context = browser.call(&context).await.expect("a context").browser_context_id;
        let mut target = CreateTargetParams::new("about:blank");
        target.browser_context_id = Some(context.clone());
        let target = browser.call(&target).await.expect("a target").target_id;
        let mut attach = AttachToTargetParams::new(target);
        attach.flatten = Some(true);
        let session = browser.call(&attach).await.expect("a session").session_id;
        let page = self.connection.session(session.inner().as_str());
        let loads = page.events(&["Page.loadEventFired"]);
        let (width, height) = (i64::from(WIDTH), i64::from(HEIGHT));
        page.call(&SetDeviceMetricsOverrideParams::new(width, height, 1.0, true)).await.expect("a viewport");
        page.call(&EnableParams::default()).await.expect("events");
        Prepared { page, loads, context }
    }

    async fn keep_ready(&self, pages: usize) {
        let lack = pages.saturating_sub(self.ready.lock().expect("no holder of the lock panicked").len());
        for _ in 0..lack {
            let page = self.prepare().await;
            self.ready.lock().expect("no holder of the lock panicked").push(page);
        }
    }

    pub(crate) async fn take(&self, job: &Job) -> Burst {
        let workers = (0..job.at_once).map(|worker| async move {
            let mut taken = Vec::new();
            for _ in (worker..job.shots).step_by(job.at_once) {
                let ready = self.ready.lock().expect("no holder of the lock panicked").pop();
                // A burst creates its pages one after the other, as part of the work.
                let mut page = match ready {
                    Some(page) => page,
                    None => self.prepare().await,
                };
                let started = Instant::now();
                let picture = shot(&mut page, &job.url, Duration::ZERO).await;
                taken.push((started.elapsed().as_secs_f64() * 1_000.0, picture));
                self.connection.browser().call(&DisposeBrowserContextParams::new(page.context)).forget();
            }
            taken
        });
        let taken: Vec<_> = join_all(workers).await.into_iter().flatten().collect();
        if job.at_once == 1 {
            self.keep_ready(1).await;
        }
        let (picture, phases) = taken.last().expect("the job has at least one shot").1.clone();
        let took_ms = taken.into_iter().map(|(took_ms, _)| took_ms).collect();
        Burst { took_ms, picture: Picture::decode(&picture), phases }
    }

    pub(crate) async fn end(self) {
        self.process.kill().await.remove().await;
    }
}

/// Pictures of a finished page: without a pointer, and with one in the top left corner. Chromium assumes the pointer
/// there when the first document has a frame, and draws a button in that corner as hovered.
pub(crate) struct Finished([Picture; 2]);

impl Finished {
    /// Returns whether a picture shows the finished page.
    pub(crate) fn is_shown_by(&self, picture: &Picture) -> bool {
        self.0.iter().any(|finished| same(picture, finished))
    }
}

/// Takes pictures of the page, as it is `after` its load.
pub(crate) async fn finished(contenders: &[Contender<'_>], url: &str, after: Duration) -> Finished {
    let floor = contenders.iter().find_map(Contender::as_floor).expect("the floor is always included");
    let mut page = floor.prepare().await;
    let (without_pointer, _) = shot(&mut page, url, after).await;
    let pointer = DispatchMouseEventParams::new(DispatchMouseEventType::MouseMoved, 0.0, 0.0);
    page.page.call(&pointer).await.expect("a pointer");
    let with_pointer = capture(&page).await;
    floor
        .connection
        .browser()
        .call(&DisposeBrowserContextParams::new(page.context))
        .await
        .expect("the context is disposed of");
    Finished([without_pointer, with_pointer].map(|picture| Picture::decode(&picture)))
}

async fn shot(page: &mut Prepared, url: &str, delay: Duration) -> (Vec<u8>, Phases) {
    let started = Instant::now();
    page.page.call(&NavigateParams::new(url)).await.expect("the navigation succeeds");
    page.loads.next().await.expect("the page loads");
    let loaded = Instant::now();
    if !delay.is_zero() {
        sleep(delay).await;
    }
    let picture = capture(page).await;
    let ms = |from: Instant, to: Instant| (to - from).as_secs_f64() * 1_000.0;
    (picture, vec![("load".to_owned(), ms(started, loaded)), ("capture".to_owned(), ms(loaded, Instant::now()))])
}

async fn capture(page: &Prepared) -> Vec<u8> {
    let shot = page.page.call(&CaptureScreenshotParams::default()).await.expect("a picture");
    let encoded: &[u8] = shot.data.as_ref();
    BASE64_STANDARD.decode(encoded).expect("base64")
}
