//! The contenders of the bench, and the jobs given to them.

use futures_util::future::join_all;
use porthole_tests::{Picture, Stack};
use tokio::time::Instant;

use super::arguments::Arguments;
use super::floor::Floor;
use super::node::{Browserless, Playwright};
use super::porthole::{Answer, Porthole};

/// The state that a shot waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    DomContentLoaded,
    Load,
    NetworkIdle,
    Settled,
}

impl Until {
    /// Returns its name in Porthole and Playwright.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::DomContentLoaded => "domcontentloaded",
            Self::Load => "load",
            Self::NetworkIdle => "networkidle",
            Self::Settled => "settled",
        }
    }
}

/// A number of shots of one page, some at once.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) url: String,
    pub(crate) until: Until,
    pub(crate) shots: usize,
    pub(crate) at_once: usize,
}

/// The result of a job.
pub(crate) struct Burst {
    /// Time of each shot, in milliseconds.
    pub(crate) took_ms: Vec<f64>,
    /// The last picture.
    pub(crate) picture: Picture,
    /// How the last shot's time was spent, for contenders that report it.
    pub(crate) phases: Phases,
}

/// Names of the phases in their order, with their milliseconds.
pub(crate) type Phases = Vec<(String, f64)>;

impl Burst {
    /// Calls `shot` as often as the job says, with the job's concurrency.
    pub(crate) async fn of(job: &Job, shot: impl AsyncFn() -> Vec<u8>) -> Self {
        let shot = &shot;
        let workers = (0..job.at_once).map(|worker| async move {
            let mut taken = Vec::new();
            for _ in (worker..job.shots).step_by(job.at_once) {
                let started = Instant::now();
                let picture = shot().await;
                taken.push((started.elapsed().as_secs_f64() * 1_000.0, picture));
            }
            taken
        });
        let taken: Vec<_> = join_all(workers).await.into_iter().flatten().collect();
        let picture = Picture::decode(&taken.last().expect("the job has at least one shot").1);
        Self { took_ms: taken.into_iter().map(|(took_ms, _)| took_ms).collect(), picture, phases: Phases::new() }
    }
}

/// The width of every picture.
pub(crate) const WIDTH: u32 = 390;
/// The height of every picture.
pub(crate) const HEIGHT: u32 = 844;

pub(crate) struct Contender<'a> {
    name: &'static str,
    until: Until,
    way: Way<'a>,
}

enum Way<'a> {
    Floor(Floor),
    Porthole(Porthole<'a>),
    Playwright(Playwright),
    Browserless(Browserless),
}

/// Starts the contenders that the arguments select; `before` is Porthole of another commit.
pub(crate) async fn all<'a>(stack: &'a Stack, before: Option<&'a Stack>, arguments: &Arguments) -> Vec<Contender<'a>> {
    let floor = Floor::start(stack).await;
    // The floor is always included: it takes the reference pictures of the finished pages.
    let mut all = vec![Contender { name: "bare script, `load`", until: Until::Load, way: Way::Floor(floor) }];
    for (name, name_before, until, answer) in [
        ("Porthole, `domcontentloaded`", "before, `domcontentloaded`", Until::DomContentLoaded, Answer::Json),
        ("Porthole, `load`", "before, `load`", Until::Load, Answer::Json),
        ("Porthole, `load`, raw image", "before, `load`, raw image", Until::Load, Answer::Raw),
        ("Porthole, `settled`", "before, `settled`", Until::Settled, Answer::Json),
    ] {
        if arguments.wants(name) && (arguments.settled || until != Until::DomContentLoaded) {
            let stacks = [(name_before, before), (name, Some(stack))];
            all.extend(stacks.into_iter().filter_map(|(name, stack)| {
                Some(Contender { name, until, way: Way::Porthole(Porthole::new(stack?, answer)) })
            }));
        }
    }
    for (name, until) in [("Playwright, `load`", Until::Load), ("Playwright, `networkidle`", Until::NetworkIdle)] {
        if arguments.wants(name) {
            all.push(Contender { name, until, way: Way::Playwright(Playwright::start().await) });
        }
    }
    if arguments.browserless {
        let way = Way::Browserless(Box::pin(Browserless::start()).await);
        all.push(Contender { name: "browserless, `load`", until: Until::Load, way });
    }
    all
}

impl<'a> Contender<'a> {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn until(&self) -> Until {
        self.until
    }

    pub(crate) fn as_floor(&self) -> Option<&Floor> {
        if let Way::Floor(floor) = &self.way { Some(floor) } else { None }
    }

    /// Does a job. A blank picture fails the bench for Porthole and is only reported for the others.
    pub(crate) async fn take(&self, job: &Job) -> Burst {
        let burst = self.take_any(job).await;
        if burst.picture.is_blank() {
            assert!(!matches!(self.way, Way::Porthole(_)), "{}: a blank picture of {}", self.name, job.url);
            eprintln!("{}: a blank picture of {}", self.name, job.url);
        }
        burst
    }

    /// Does a job without checking the picture for content.
    pub(crate) async fn take_any(&self, job: &Job) -> Burst {
        let burst = match &self.way {
            Way::Floor(floor) => floor.take(job).await,
            Way::Porthole(porthole) => porthole.take(job).await,
            Way::Playwright(playwright) => playwright.take(job).await,
            Way::Browserless(browserless) => browserless.take(job).await,
        };
        assert_eq!(burst.took_ms.len(), job.shots, "{}", self.name);
        burst.picture.expect_size(WIDTH, HEIGHT);
        burst
    }

    /// Returns the root processes of the contender. Their descendants and this process belong to it too.
    pub(crate) fn roots(&self) -> Vec<i32> {
        match &self.way {
            Way::Floor(floor) => vec![floor.pid()],
            Way::Porthole(porthole) => porthole.pids(),
            Way::Playwright(playwright) => vec![playwright.pid()],
            Way::Browserless(browserless) => vec![browserless.pid()],
        }
    }

    pub(crate) async fn end(self) {
        match self.way {
            Way::Floor(floor) => floor.end().await,
            Way::Porthole(_) => {}
            Way::Playwright(playwright) => playwright.end().await,
            Way::Browserless(browserless) => browserless.end().await,
        }
    }
}

/// The largest share of differing pixels at which two pictures count as the same. It allows for a cursor or a spinner.
const DIFFERENT_SHARE_MAX: f64 = 0.001;

/// Returns whether two pictures show the same.
pub(crate) fn same(one: &Picture, other: &Picture) -> bool {
    differing(one, other) <= DIFFERENT_SHARE_MAX
}

/// Returns the share of pixels with a channel that differs by more than 16.
#[expect(clippy::cast_precision_loss, reason = "pixels of a picture")]
fn differing(one: &Picture, other: &Picture) -> f64 {
    if one.size() != other.size() {
        return 1.0;
    }
    let (width, height) = one.size();
    let [one, other] = [one, other].map(|picture| picture.part(0, 0, width, height));
    let differs =
        |(one, other): (&[u8; 3], &[u8; 3])| one.iter().zip(other).any(|(one, other)| one.abs_diff(*other) > 16);
    one.iter().zip(&other).filter(|pair| differs(*pair)).count() as f64 / one.len() as f64
}
