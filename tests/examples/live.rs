//! The live view's figures: frames a second, memory, processor time, input to frame, a slow line, other streams beside it.
//! Prints Markdown.
//!
//! `make bench-live [BENCH="--seconds 5 --viewers 1,20,100 --only frames"]`; the parts are `frames`, `processor`, `input`,
//! `line` and `beside`, which needs `--modules`, the folder that `tests/live/install` filled. Viewers are WebSocket clients of this process, over the
//! worker; a frame counts when its bytes have been read. Of 100 viewers half read nothing. The machine should have
//! nothing else to do; its load is printed.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run manually")]

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use porthole_chromium::find_executable;
use porthole_tests::agent::Agent;
use porthole_tests::family::descendants_of;
use porthole_tests::live::{Frame, Heard, ticket};
use porthole_tests::{LiveViewer, SlowLine, Stack};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// A page that moves all over its viewport.
const MOVING: &str = "<!doctype html><title>moving</title><style>body{margin:0;background:#fff}\
    div{position:absolute;width:240px;height:240px;border-radius:50%;background:linear-gradient(#08c,#c08)}\
    @keyframes m{to{transform:translate(1000px,460px) rotate(360deg)}}</style>\
    <div style='animation:m 2s linear infinite alternate'></div>\
    <div style='animation:m 3s linear infinite alternate;left:40px'></div>\
    <p style='font:20px serif;width:900px'>Words that stand still while the rest of the page moves around them.</p>";
/// A page that stands still, and has another colour after each press of a button.
const TURNS: &str = "<!doctype html><title>turns</title><body style='margin:0;height:100vh;background:#f00' \
    onmousedown=\"let b=document.body.style;b.background=b.background=='rgb(255, 0, 0)'||b.background=='#f00'?'#00f':'#f00'\">";
const STILL: &str = "<!doctype html><title>still</title><h1>Nothing moves here</h1>";
/// Ticks of processor time per second: `USER_HZ`, the same on every Linux machine.
const TICKS_PER_SECOND: f64 = 100.0;
/// Clicks measured.
const CLICKS: usize = 60;

/// What a process and its descendants have used.
#[derive(Clone, Copy)]
struct Ticks {
    service: f64,
    worker: f64,
    browser: f64,
}

impl Ticks {
    fn of(stack: &Stack) -> Self {
        let browsers = descendants_of(stack.service.process.pid()).into_iter().filter(|one| one.is_chromium());
        Self {
            service: ticks(stack.service.process.pid()),
            worker: ticks(stack.worker.process.pid()),
            browser: browsers.map(|one| ticks(one.pid)).sum(),
        }
    }

    /// Percent of one core since `before`.
    fn percent_since(self, before: Self, seconds: f64) -> String {
        let percent = |now: f64, before: f64| 100.0 * (now - before) / TICKS_PER_SECOND / seconds;
        let (service, worker) = (percent(self.service, before.service), percent(self.worker, before.worker));
        let browser = percent(self.browser, before.browser);
        format!("{service:.1} | {worker:.1} | {browser:.1} | {:.1}", service + worker + browser)
    }
}

fn ticks(pid: i32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect::<Vec<_>>()).unwrap_or_default();
    fields.get(11..13).unwrap_or_default().iter().filter_map(|field| field.parse::<f64>().ok()).sum()
}

fn resident_mb(pid: i32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kib =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.unwrap_or_default() / 1000.0
}

fn load() -> String {
    fs::read_to_string("/proc/loadavg").unwrap_or_default().split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// A viewer that counts the frames that it reads.
struct Counting {
    frames: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Counting {
    async fn of(worker: SocketAddr, ticket: &str, hello: Value) -> Self {
        let mut viewer = LiveViewer::with_ticket(worker, ticket, hello).await;
        viewer.frame().await;
        let frames = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&frames);
        let task = tokio::spawn(async move {
            loop {
                match viewer.next().await {
                    Heard::Frame(_) => drop(counted.fetch_add(1, Ordering::Relaxed)),
                    Heard::Message(_) => viewer.messages.clear(),
                    Heard::Closed(_) => return,
                }
            }
        });
        Self { frames, task }
    }

    fn taken(&self) -> usize {
        self.frames.swap(0, Ordering::Relaxed)
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn frames(seconds: f64, counts: &[usize]) {
    println!("\n## A moving page, 1280×720, quality 70, `max_fps` 60 (load before: {})\n", load());
    println!(
        "| viewers | that read nothing | frames a second: least | median | most | service MB before | after | service % of a core | worker % | browser % | all % |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for &count in counts {
        let stack = Box::pin(Stack::with().as_shipped().start()).await;
        let (agent, _) = Agent::at(stack.caller(), &stack.site.html(MOVING)).await;
        let ticket = ticket(&agent, "view").await;
        let before_mb = resident_mb(stack.service.process.pid());
        let idle = if count >= 100 { count / 2 } else { 0 };
        let mut never = Vec::new();
        for _ in 0..idle {
            never.push(LiveViewer::with_ticket(stack.worker.main, &ticket, json!({"max_fps": 60})).await);
        }
        let mut reading = Vec::new();
        for _ in idle..count {
            reading.push(Counting::of(stack.worker.main, &ticket, json!({"max_fps": 60})).await);
        }
        sleep(Duration::from_secs(1)).await;
        for viewer in &reading {
            viewer.taken();
        }
        let (ticks, began) = (Ticks::of(&stack), Instant::now());
        sleep(Duration::from_secs_f64(seconds)).await;
        let (used, took) = (Ticks::of(&stack), began.elapsed().as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let mut rates: Vec<f64> = reading.iter().map(|viewer| viewer.taken() as f64 / took).collect();
        rates.sort_by(f64::total_cmp);
        println!(
            "| {count} | {idle} | {:.1} | {:.1} | {:.1} | {before_mb:.0} | {:.0} | {} |",
            rates[0],
            rates[rates.len() / 2],
            rates[rates.len() - 1],
            resident_mb(stack.service.process.pid()),
            used.percent_since(ticks, took),
        );
    }
}

async fn processor(seconds: f64) {
    println!("\n## Processor time, % of one core (load before: {})\n", load());
    println!("| page | viewers | frames a second | service | worker | browser | all |");
    println!("|---|---|---|---|---|---|---|");
    let stack = Box::pin(Stack::with().as_shipped().start()).await;
    for (name, page, fps) in [
        ("still", STILL, None),
        ("still", STILL, Some(30)),
        ("moving", MOVING, None),
        ("moving", MOVING, Some(15)),
        ("moving", MOVING, Some(30)),
        ("moving", MOVING, Some(60)),
    ] {
        let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
        let ticket = ticket(&agent, "view").await;
        let viewer = match fps {
            Some(fps) => Some(Counting::of(stack.worker.main, &ticket, json!({"max_fps": fps})).await),
            None => None,
        };
        sleep(Duration::from_secs(1)).await;
        if let Some(viewer) = &viewer {
            viewer.taken();
        }
        let (ticks, began) = (Ticks::of(&stack), Instant::now());
        sleep(Duration::from_secs_f64(seconds)).await;
        let (used, took) = (Ticks::of(&stack), began.elapsed().as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let rate = viewer.as_ref().map_or(0.0, |viewer| viewer.taken() as f64 / took);
        let viewers = fps.map_or("none".to_owned(), |fps| format!("one, `max_fps` {fps}"));
        println!("| {name} | {viewers} | {rate:.1} | {} |", used.percent_since(ticks, took));
        agent.does("close", json!({})).await;
    }
}

/// Milliseconds from a press to the frame that shows it, as one viewer sees it.
async fn input(page: &str, moves: usize, fps: u32) -> Vec<f64> {
    let stack = Box::pin(Stack::with().as_shipped().start()).await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(page)).await;
    let mut viewer = LiveViewer::of(&agent, "control", json!({"max_fps": fps})).await;
    let mut colour = [255, 0, 0];
    viewer.shows(1_270, 4, colour).await;
    let mut times = Vec::with_capacity(CLICKS);
    let mouse = |kind: &str, x: usize, button: &str| json!({"type": "mouse", "event": {"type": kind, "x": x, "y": 100, "button": button, "clickCount": 1}});
    for _ in 0..CLICKS {
        colour.reverse();
        for x in 0..moves {
            viewer.says(mouse("mouseMoved", 100 + x, "none")).await;
        }
        let began = Instant::now();
        viewer.says(mouse("mousePressed", 100 + moves, "left")).await;
        viewer.shows(1_270, 4, colour).await;
        times.push(began.elapsed().as_secs_f64() * 1000.0);
        viewer.says(mouse("mouseReleased", 100 + moves, "left")).await;
        viewer.is_heard().await;
        viewer.messages.clear();
        // No more events than a viewer may send in a second.
        sleep(Duration::from_millis(if moves > 0 { 400 } else { 50 + fastrand::u64(..700) })).await;
    }
    times.sort_by(f64::total_cmp);
    times
}

async fn inputs() {
    println!("\n## From a press to its frame, ms (decoding the JPEG included; load before: {})\n", load());
    println!("| page | `max_fps` | before the press | median | p95 | most |");
    println!("|---|---|---|---|---|---|");
    // One that moves until it is captured, in a circle of its own, so that its colours are the page's.
    let moves = format!(
        "{TURNS}<style>@keyframes m{{to{{transform:translate(900px,500px)}}}}div{{width:200px;height:200px;\
        background:#080;animation:m 2s linear infinite alternate}}</style><div></div>"
    );
    let still = TURNS.to_owned();
    for (name, page, before, fps) in [
        ("still", &still, 0, 60),
        ("still", &still, 300, 60),
        ("still", &still, 0, 30),
        ("still", &still, 0, 15),
        ("moving", &moves, 0, 60),
        ("moving", &moves, 0, 30),
        ("moving", &moves, 0, 15),
    ] {
        let times = input(page, before, fps).await;
        let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        println!("| {name} | {fps} | {before} moves | {:.0} | {:.0} | {:.0} |", at(50), at(95), at(100));
    }
}

/// What one viewer sees behind a line of 1 Mbit/s with 200 ms of delay on the way back and forth: while the page moves,
/// when a press colours it, and once the line is fast again.
async fn slow_line(seconds: f64) {
    println!("\n## A line of 1 Mbit/s and 100 ms each way (load before: {})\n", load());
    println!(
        "| acknowledges | frames a second | age of a frame when it is there, ms: median | most | press to its frame, ms: median | most | frames before it: most | coarsest picture, times the one asked for | in the end |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for acknowledges in [false, true] {
        let stack = Box::pin(Stack::with().as_shipped().start()).await;
        let page = format!("{MOVING}<script>let red;onmousedown=()=>{PRESSED}</script>");
        let (agent, _) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
        let line = SlowLine::before(stack.worker.main, 125_000, Duration::from_millis(100)).await;
        let viewer = LiveViewer::with_ticket(line.addr, &ticket(&agent, "control").await, json!({"max_fps": 30})).await;
        let mut behind = Behind { viewer, acknowledges, ages: Vec::new(), coarsest: 0 };
        let asked = behind.frame().await.coarseness();
        let began = Instant::now();
        while began.elapsed().as_secs_f64() < seconds {
            behind.frame().await;
        }
        let took = began.elapsed().as_secs_f64();
        let mut ages = std::mem::take(&mut behind.ages);
        ages.sort_by(f64::total_cmp);
        let (mut presses, mut before_most) = (Vec::new(), 0);
        for turn in 0..20 {
            let (ms, before) = behind.press(turn % 2 == 0).await;
            presses.push(ms);
            before_most = before.max(before_most);
        }
        presses.sort_by(f64::total_cmp);
        line.set_bytes_a_second(125_000_000);
        let (fast_since, mut last) = (Instant::now(), 0);
        while fast_since.elapsed().as_secs_f64() < seconds && last != asked {
            last = behind.frame().await.coarseness();
        }
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let rate = ages.len() as f64 / took;
        let times = |coarseness: u32| f64::from(coarseness) / f64::from(asked);
        let (age, press) = (ages[ages.len() / 2], presses[presses.len() / 2]);
        println!(
            "| {} | {rate:.1} | {age:.0} | {:.0} | {press:.0} | {:.0} | {before_most} | {:.1} | {:.1} |",
            if acknowledges { "yes" } else { "no" },
            ages[ages.len() - 1],
            presses[presses.len() - 1],
            times(behind.coarsest),
            times(last),
        );
    }
}

/// Colours the page green, and white again.
const PRESSED: &str = "document.body.style.background=(red=!red)?'#0c0':'#fff'";

/// A viewer behind a slow line.
struct Behind {
    viewer: LiveViewer,
    acknowledges: bool,
    ages: Vec<f64>,
    coarsest: u32,
}

impl Behind {
    async fn frame(&mut self) -> Frame {
        loop {
            let Heard::Frame(frame) = self.viewer.next().await else { continue };
            self.viewer.messages.clear();
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
            let drawn = Duration::from_millis(frame.header.timestamp_ms);
            self.ages.push(now.saturating_sub(drawn).as_secs_f64() * 1000.0);
            self.coarsest = self.coarsest.max(frame.coarseness());
            if self.acknowledges {
                self.viewer.says(json!({"type": "ack", "seq": frame.header.seq})).await;
            }
            return frame;
        }
    }

    /// Presses a button; returns the milliseconds to the frame that shows it, and how many came before.
    async fn press(&mut self, is_green: bool) -> (f64, usize) {
        let began = Instant::now();
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": 1_270, "y": 710, "button": "left", "clickCount": 1});
            self.viewer.says(json!({"type": "mouse", "event": event})).await;
        }
        let mut before = 0;
        loop {
            // Where nothing moves.
            let picture = self.frame().await.picture();
            let [red, ..] = picture.at(picture.size().0 - 8, 8);
            if (red < 128) == is_green {
                return (began.elapsed().as_secs_f64() * 1000.0, before);
            }
            before += 1;
        }
    }
}

/// Other streams on the same pages, and the viewer's page in a second Chromium: `tests/live/beside.mjs`.
async fn beside(modules: &str, seconds: f64) {
    let stack = Box::pin(Stack::with().as_shipped().start()).await;
    let (moving, turns) = (stack.site.html(MOVING), stack.site.html(TURNS));
    let (first, _) = Agent::at(stack.caller(), &moving).await;
    let (second, _) = Agent::at(stack.caller(), &turns).await;
    let control = ticket(&second, "control").await;
    let given = json!({
        "moving": moving,
        "turns": turns,
        "stream": stack.worker.url("/api/sandbox/live").replacen("http", "ws", 1),
        "hello": {"moving": {"ticket": ticket(&first, "view").await}, "turns": {"ticket": control}},
        "viewer": stack.worker.url(&format!("/live#ticket={control}")),
        "pids": [stack.service.process.pid(), stack.worker.process.pid()],
        "chromium": find_executable(None).unwrap(),
        "seconds": seconds,
        "clicks": CLICKS,
    });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/live/beside.mjs");
    let mut node = Command::new("node").args([script, modules]).stdin(Stdio::piped()).spawn().unwrap();
    node.stdin.take().unwrap().write_all(given.to_string().as_bytes()).unwrap();
    let ended = tokio::task::spawn_blocking(move || node.wait()).await.unwrap().unwrap();
    assert!(ended.success(), "beside.mjs: {ended}");
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| arguments.iter().position(|one| one == name).and_then(|at| arguments.get(at + 1).cloned());
    let seconds: f64 = value("--seconds").map_or(5.0, |text| text.parse().unwrap());
    let counts: Vec<usize> = value("--viewers")
        .unwrap_or_else(|| "1,20,100".to_owned())
        .split(',')
        .map(|count| count.parse().unwrap())
        .collect();
    let only = value("--only");
    let runs = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if runs("frames") {
        frames(seconds, &counts).await;
    }
    if runs("processor") {
        processor(seconds).await;
    }
    if runs("input") {
        inputs().await;
    }
    if runs("line") {
        slow_line(seconds * 2.0).await;
    }
    if let (true, Some(modules)) = (runs("beside"), value("--modules")) {
        beside(&modules, seconds).await;
    }
}
