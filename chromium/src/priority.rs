//! The priority of a browser's processes: renderers that keep processors busy give way to the others, and a whole browser
//! does when it is told to.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, setpriority_process};

use crate::group::processes_of_group;

/// The share of one processor that a renderer may use for as long as it lives.
const SHARE: f64 = 0.3;
/// How much processor time a renderer may use beyond that: more than loading most pages takes.
const BURST: Duration = Duration::from_millis(300);
/// The nice value of a renderer that used more. Under contention it gets a tenth of the time of a process that has not
/// (`man 7 sched`: each step is about a quarter); alone on a processor it loses nothing.
const LOWERED_NICE: i32 = 10;
/// The length of a tick in `/proc/*/stat`: `USER_HZ` is 100 for all programs (`man 5 proc`).
const TICK_MS: u64 = 10;
/// The share of the time in which a process's main thread must run or wait for a processor to count as always ready.
const READY: f64 = 0.8;
/// The most by which waiting counts.
const CONTENTION_MAX: f64 = 8.0;
/// How much of a renderer's first processor time is its start, which is not reported: 30 to 90 ms were measured.
const START: Duration = Duration::from_millis(100);
/// How often new renderers are looked for: that reads a file of each of the browser's threads, some forty.
const NEW_EVERY: Duration = Duration::from_millis(500);

/// The processes of one browser, each with the processor time that it used.
///
/// A renderer's priority is lowered once and stays so: without privileges no process can raise it again.
///
/// What keeps a processor busy gets less of it the more others want it, and would be found later the more it is in their way.
/// So where the main thread of a process never sleeps but waits for a processor as long as it runs, half as much processor time
/// is as bad. A thread that sleeps in between gets all that it wants, and is judged by what it uses. Pages that live long are judged
/// without that: one that draws without end would have a low priority for good because processors were scarce once.
#[derive(Debug)]
pub struct Renderers {
    browser: u32,
    /// Whether waiting for a processor counts.
    waiting_counts: bool,
    known: HashMap<u32, Known>,
    /// The browser's main thread.
    main: MainThread,
    looked: Instant,
    listed: Option<Instant>,
}

/// What the processes of a browser did between two looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Looked {
    /// The renderers whose priority was lowered.
    pub lowered: Vec<u32>,
    /// The processor time of the browser outside its renderers: its main process and those for the network and pictures.
    pub browser: Duration,
    /// How many times as much the browser's main thread would have used alone on a processor, at least 1; see [`Renderers`].
    pub contention: f64,
    /// The renderers that used processor time.
    pub renderers: Vec<RendererTime>,
}

/// The processor time that a renderer used between two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RendererTime {
    /// Its process id.
    pub process: u32,
    /// When it was started, as [`since_boot`] tells it.
    pub started: Duration,
    /// The processor time. That of its start, the first 100 ms, doesn't count.
    pub used: Duration,
}

#[derive(Debug)]
enum Known {
    /// A renderer: its times, what is left of its start, how much is beyond its share, and whether its priority is lowered.
    Renderer { times: Times, main: MainThread, start: Duration, beyond: Duration, is_lowered: bool },
    /// A process that starts renderers for the browser.
    Zygote,
    /// Any other process, the browser's first one among them.
    Other { used: Duration },
}

impl Renderers {
    /// Watches the processes of the browser with this process id. `waiting_counts`: its pages don't live long.
    #[must_use]
    pub fn of(browser: u32, waiting_counts: bool) -> Self {
        let main = MainThread::of(browser).unwrap_or_default();
        Self { browser, waiting_counts, known: HashMap::new(), main, looked: Instant::now(), listed: None }
    }

    /// Reads what each process used and lowers the priority of renderers that used too much. Reads a file of each
    /// process, more every half second; without `/proc` it does nothing.
    pub fn look(&mut self) -> Looked {
        if self.listed.is_none_or(|listed| listed.elapsed() >= NEW_EVERY) {
            self.list();
            self.listed = Some(Instant::now());
        }
        let elapsed = self.looked.elapsed();
        self.looked = Instant::now();
        let contention = if self.waiting_counts { self.main.look(self.browser, elapsed) } else { 1.0 };
        let mut looked = Looked { lowered: Vec::new(), browser: Duration::ZERO, contention, renderers: Vec::new() };
        for (process, known) in &mut self.known {
            known.look(*process, elapsed, self.waiting_counts, &mut looked);
        }
        looked
    }

    /// Finds new processes of the browser, and forgets those that have ended.
    fn list(&mut self) {
        let mut before = std::mem::take(&mut self.known);
        let main = before.remove(&self.browser).unwrap_or_else(|| Known::other(self.browser));
        self.known.insert(self.browser, main);
        let mut parents = vec![self.browser];
        while let Some(parent) = parents.pop() {
            for process in children(parent) {
                // A renderer that a zygote has just forked still has the zygote's command line.
                let before = before.remove(&process).filter(|before| !matches!(before, Known::Zygote));
                let known = before.unwrap_or_else(|| first_seen(process));
                if matches!(known, Known::Zygote) {
                    parents.push(process);
                }
                self.known.insert(process, known);
            }
        }
    }
}

impl Known {
    /// Returns a process other than a renderer, whose time counts from now.
    fn other(process: u32) -> Self {
        Self::Other { used: Times::of(process).map_or(Duration::ZERO, |times| times.used) }
    }

    /// Adds what the process used since the last look, and lowers its priority if it is a renderer that used too much.
    fn look(&mut self, process: u32, elapsed: Duration, waiting_counts: bool, looked: &mut Looked) {
        // One that has ended is forgotten soon.
        let Some(now) = Times::of(process) else { return };
        match self {
            Self::Zygote => {}
            Self::Other { used } => {
                looked.browser += now.used.saturating_sub(*used);
                *used = now.used;
            }
            Self::Renderer { times, main, start, beyond, is_lowered } => {
                let used = now.used.saturating_sub(times.used);
                *times = now;
                let told = used.saturating_sub(*start);
                *start = start.saturating_sub(used);
                if !told.is_zero() {
                    looked.renderers.push(RendererTime { process, started: now.started, used: told });
                }
                let share = if waiting_counts { SHARE / main.look(process, elapsed) } else { SHARE };
                *beyond = (*beyond + used).saturating_sub(elapsed.mul_f64(share));
                if *beyond > BURST && !*is_lowered {
                    lower(process);
                    *is_lowered = true;
                    looked.lowered.push(process);
                }
            }
        }
    }
}

/// Lowers the priority of all processes of the browser that leads this group, as that of a renderer that used too much.
/// Those that it starts later inherit it.
pub fn lower_group(leader: u32) {
    // Twice: a thread that is started meanwhile may be missed.
    for _ in 0..2 {
        processes_of_group(leader).for_each(lower);
    }
}

/// Returns the time since the machine was started, in steps of 10 ms; `None` without `/proc`.
#[must_use]
pub fn since_boot() -> Option<Duration> {
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    Duration::try_from_secs_f64(uptime.split_ascii_whitespace().next()?.parse().ok()?).ok()
}

fn first_seen(process: u32) -> Known {
    let command = fs::read(of_process(process).join("cmdline")).unwrap_or_default();
    // Chromium rewrites its children's command lines into one string, with blanks between the words.
    let mut words = command.split(|byte| matches!(byte, 0 | b' '));
    match words.find_map(|word| word.strip_prefix(b"--type=")) {
        Some(b"renderer") => Known::Renderer {
            times: Times::default(),
            main: MainThread::default(),
            start: START,
            beyond: Duration::ZERO,
            is_lowered: false,
        },
        Some(b"zygote") => Known::Zygote,
        _ => Known::other(process),
    }
}

/// Lists the child processes that any thread of a process started.
fn children(process: u32) -> Vec<u32> {
    let of_thread = |thread: u32| {
        let path = of_process(process).join("task").join(thread.to_string()).join("children");
        fs::read_to_string(path).unwrap_or_default()
    };
    let ids = |text: String| text.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>();
    threads(process).map(of_thread).flat_map(ids).collect()
}

fn threads(process: u32) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(of_process(process).join("task")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The times of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// The processor time that all its threads used, in its own code and in the system.
    used: Duration,
    /// Its start, since that of the machine.
    started: Duration,
}

impl Times {
    /// Reads the times of a process; `None` if it has ended.
    fn of(process: u32) -> Option<Self> {
        let stat = fs::read_to_string(of_process(process).join("stat")).ok()?;
        // The program's name, in brackets, may contain anything: fields are counted from its end, which is the second's.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let used = time(fields.nth(11)?)? + time(fields.next()?)?;
        Some(Self { used, started: time(fields.nth(6)?)? })
    }
}

/// What the main thread of a process did so far.
#[derive(Clone, Copy, Debug, Default)]
struct MainThread {
    ran: Duration,
    /// How long it waited for a processor.
    waited: Duration,
}

impl MainThread {
    /// Reads it; `None` if the process has ended, or if the kernel keeps no such account (`CONFIG_SCHED_INFO`).
    fn of(process: u32) -> Option<Self> {
        let schedstat = fs::read_to_string(of_process(process).join("schedstat")).ok()?;
        let mut times = schedstat.split_ascii_whitespace().map(|field| field.parse().ok().map(Duration::from_nanos));
        Some(Self { ran: times.next()??, waited: times.next()?? })
    }

    /// Reads it anew, this long after the last reading; returns the contention in between.
    fn look(&mut self, process: u32, elapsed: Duration) -> f64 {
        let Some(now) = Self::of(process) else { return 1.0 };
        let before = std::mem::replace(self, now);
        now.contention(before, elapsed)
    }

    /// Returns how many times as much it would have run alone on a processor in this time; 1 if it slept in between.
    fn contention(self, before: Self, elapsed: Duration) -> f64 {
        let (ran, waited) = (self.ran.saturating_sub(before.ran), self.waited.saturating_sub(before.waited));
        let ready = (ran + waited).as_secs_f64();
        if ready <= READY * elapsed.as_secs_f64() {
            1.0
        } else {
            (ready / ran.as_secs_f64()).clamp(1.0, CONTENTION_MAX)
        }
    }
}

/// Reads a time in ticks.
fn time(field: &str) -> Option<Duration> {
    Some(Duration::from_millis(TICK_MS * field.parse::<u64>().ok()?))
}

/// Lowers the priority of each thread, as Linux has one for each; threads that they start later inherit it.
fn lower(process: u32) {
    for thread in threads(process) {
        // One that has just ended needs none.
        let thread = i32::try_from(thread).ok().and_then(Pid::from_raw);
        let _ = setpriority_process(thread, LOWERED_NICE);
    }
}

fn of_process(process: u32) -> PathBuf {
    Path::new("/proc").join(process.to_string())
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use rustix::process::getpriority_process;

    use super::*;

    struct Ended(Child);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn shell(script: &str, argument: &str) -> Ended {
        let mut command = Command::new("sh");
        Ended(command.args(["-c", script, "sh", argument]).stdin(Stdio::piped()).spawn().expect("a shell"))
    }

    fn nice(process: &Ended) -> i32 {
        let id = i32::try_from(process.0.id()).expect("a process id");
        getpriority_process(Pid::from_raw(id)).expect("a running process")
    }

    #[tokio::test]
    async fn a_renderer_that_keeps_a_processor_busy_is_lowered_and_no_other_process() {
        let busy = shell("while :; do :; done", "--type=renderer");
        let idle = shell("read -r line", "--type=renderer");
        let other = shell("while :; do :; done", "--type=utility");
        let mut renderers = Renderers::of(std::process::id(), true);
        let until = Instant::now() + Duration::from_secs(30);
        let mut lowered = Vec::new();
        while lowered.is_empty() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
            lowered = renderers.look().lowered;
        }
        assert_eq!(lowered, [busy.0.id()]);
        assert_eq!((nice(&busy), nice(&other)), (nice(&idle) + LOWERED_NICE, nice(&idle)));
        assert_eq!(renderers.look().lowered, Vec::<u32>::new(), "once");
    }

    #[tokio::test]
    async fn processor_time_is_told_of_renderers_and_of_the_rest_of_the_browser() {
        let before = since_boot().expect("/proc");
        let busy = shell("while :; do :; done", "--type=renderer");
        let other = shell("while :; do :; done", "--type=gpu-process");
        let mut renderers = Renderers::of(std::process::id(), true);
        let until = Instant::now() + Duration::from_secs(30);
        let (mut own, mut of_renderer) = (Duration::ZERO, Vec::<RendererTime>::new());
        while Instant::now() < until && (own < BURST || of_renderer.is_empty()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let looked = renderers.look();
            own += looked.browser;
            of_renderer.extend(looked.renderers.into_iter().filter(|one| one.process == busy.0.id()));
        }
        assert!(own >= BURST, "the other process {} is not counted: {own:?}", other.0.id());
        let started = of_renderer.first().expect("the renderer's time").started;
        assert!(
            started + Duration::from_millis(2 * TICK_MS) >= before && started <= since_boot().expect("/proc"),
            "{started:?}, {before:?}"
        );
        let used = Times::of(busy.0.id()).expect("it runs").used;
        let told: Duration = of_renderer.iter().map(|one| one.used).sum();
        assert!(told + START <= used, "its start is told: {told:?} of {used:?}");
    }

    #[test]
    fn waiting_counts_of_a_thread_that_is_always_ready() {
        let ms = Duration::from_millis;
        let contention = |ran: u64, waited: u64| {
            let before = MainThread { ran: ms(7), waited: ms(11) };
            let now = MainThread { ran: before.ran + ms(ran), waited: before.waited + ms(waited) };
            (now.contention(before, ms(100)) * 10.0).round()
        };
        assert_eq!([contention(100, 0), contention(50, 50), contention(25, 75)], [10.0, 20.0, 40.0]);
        assert_eq!(contention(30, 40), 10.0, "it slept for 30 ms: it got what it wanted");
        assert_eq!([contention(1, 99), contention(0, 100)], [CONTENTION_MAX * 10.0; 2]);
        assert_eq!(contention(0, 0), 10.0);
    }

    #[tokio::test]
    async fn the_kernel_tells_how_long_a_main_thread_ran_and_waited() {
        // More loops than processors.
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let loops: Vec<Ended> = (0..processors * 3).map(|_| shell("while :; do :; done", "")).collect();
        let until = Instant::now() + Duration::from_secs(30);
        let contended = |one: &Ended| {
            let main = MainThread::of(one.0.id()).expect("a running process");
            main.ran > Duration::from_millis(50) && main.waited > main.ran / 2
        };
        while !loops.iter().any(contended) {
            assert!(
                Instant::now() < until,
                "{:?}",
                loops.iter().map(|one| MainThread::of(one.0.id())).collect::<Vec<_>>()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    #[tokio::test]
    async fn a_whole_group_is_lowered() {
        use std::os::unix::process::CommandExt as _;

        let mut command = Command::new("sh");
        let leader = command.args(["-c", "sh -c 'read -r line' & read -r line"]).stdin(Stdio::piped()).process_group(0);
        let leader = Ended(leader.spawn().expect("a shell"));
        let apart = shell("read -r line", "--type=renderer");
        let members = || processes_of_group(leader.0.id()).collect::<Vec<u32>>();
        let until = Instant::now() + Duration::from_secs(30);
        while members().len() < 2 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        lower_group(leader.0.id());
        let nice_of = |id: u32| getpriority_process(Pid::from_raw(i32::try_from(id).ok()?)).ok();
        let lowered = members().into_iter().filter_map(nice_of).collect::<Vec<i32>>();
        assert_eq!(lowered, vec![nice(&apart) + LOWERED_NICE; 2]);
    }
}
