//! Collects the kit's view of a document and of all its frames into one tree.
//!
//! Frames may have any origin, run in other processes, and be hostile. Each is asked once, in parallel with its
//! siblings, within common limits of time, number and bytes. A frame that does not answer is shown as empty.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use porthole_contract::limits::CAPTURE_TIMEOUT;
use porthole_reading::tree::{Node, State};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

use crate::cdp::CdpError;
use crate::page::interact::frame::FRAME_DEPTH_MAX;
use crate::page::interact::{ActError, Frame, SnapshotOptions};
use crate::page::run::NEXT_DOCUMENT_AFTER;
use crate::page::{Page, PageError};

/// How long all frames of a document may take together: an advertisement that is busy must not hold its page.
pub(super) const FRAMES_TIMEOUT: Duration = Duration::from_secs(3);
/// How many frames are looked into.
const FRAMES_MAX: usize = 300;
/// Frames that are asked at the same time: what each answers is in memory as a whole.
const AT_ONCE_MAX: usize = 8;
/// What all frames together may answer, in bytes of lines.
const LINES_MAX_BYTES: usize = 32 * 1024 * 1024;
/// How often a document is walked again because closed shadow roots were found, one inside the other.
const ROUNDS_MAX: usize = 4;
/// How often a frame is asked that is getting another document.
const TRIES_MAX: usize = 5;
/// Levels of the whole tree, over all frames. Deeper lines stand on the last.
const LEVELS_MAX: usize = 250;

/// An element of the tree, by its handle.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub frame: Frame,
    pub number: u32,
    pub role: String,
    /// Its name, also where its line shows none.
    pub name: String,
    /// What its row is about, see `script/interact/row/row.js`.
    pub row: u32,
}

/// All of a document and its frames.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub roots: Vec<Node>,
    /// The elements that the handles of nodes are indices of.
    pub known: Vec<Known>,
    /// The long documents among them, whose elements have no rows yet.
    pub without_rows: Vec<Frame>,
    /// Whether a document was too large, or a frame was not read.
    pub is_cut: bool,
}

/// What the kit returns of a document.
#[derive(Deserialize)]
struct Answer {
    /// As JSON.
    lines: String,
    cut: bool,
    /// How many elements may have closed shadow roots that it does not know.
    hosts: usize,
    /// How many custom elements may keep a role and states that it can't read.
    customs: usize,
    /// Whether its lines have no rows yet.
    late_rows: bool,
}

/// A line of a document. See `lines()` in `script/interact/snapshot/tree.js`.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "d")]
    level: usize,
    #[serde(rename = "r")]
    role: String,
    #[serde(rename = "n", default)]
    name: String,
    #[serde(rename = "k")]
    known: Option<String>,
    #[serde(rename = "t")]
    text: Option<String>,
    #[serde(rename = "s", default)]
    states: Vec<String>,
    #[serde(rename = "e")]
    number: Option<u32>,
    #[serde(rename = "c", default)]
    row: u32,
    #[serde(rename = "w", default)]
    wants_ref: bool,
    #[serde(rename = "p")]
    placeholder: Option<String>,
    #[serde(rename = "u")]
    url: Option<String>,
    #[serde(rename = "h")]
    hint: Option<String>,
    #[serde(rename = "b")]
    bounds: Option<[i64; 4]>,
    /// Of an inline frame: where its window is.
    #[serde(rename = "f")]
    inside: Option<Placed>,
}

/// `[x, y, a, b, c, d]`: a point (h, v) of a frame's window is at (x + a h + c v, y + b h + d v) in the one around it.
#[derive(Clone, Copy, Deserialize)]
struct Placed([f64; 6]);

/// A document's lines, and what the frames among them show.
struct Read {
    frame: Frame,
    lines: Vec<Line>,
    is_cut: bool,
    late_rows: bool,
    /// For each line of a frame its document, where it could be read.
    inner: Vec<(usize, Option<Read>)>,
}

struct Gathering {
    options: Value,
    deadline: Instant,
    turns: Semaphore,
    frames: AtomicUsize,
    bytes: AtomicUsize,
}

impl Page {
    /// Reads a document, or what one element of it holds, and all frames inside; without `all_rows` the rows of long
    /// documents are left for [`Page::ask_for_late_rows`].
    ///
    /// # Errors
    /// [`ActError`], as [`Frame::call`]; `None` where that element has left.
    pub(super) async fn gather_tree(
        &self,
        frame: &Frame,
        root: Option<u32>,
        options: &SnapshotOptions,
        all_rows: bool,
    ) -> Result<Option<Gathered>, ActError> {
        let SnapshotOptions { interactive_only, boxes, .. } = options;
        let asked = json!({"interactive_only": interactive_only, "boxes": boxes, "root": null, "all_rows": all_rows});
        let mut gathering = Gathering {
            options: asked,
            deadline: Instant::now() + FRAMES_TIMEOUT,
            turns: Semaphore::new(AT_ONCE_MAX),
            frames: AtomicUsize::new(FRAMES_MAX),
            bytes: AtomicUsize::new(LINES_MAX_BYTES),
        };
        let Some(read) = self.read_lines(&gathering, frame, root).await? else { return Ok(None) };
        gathering.deadline = Instant::now() + FRAMES_TIMEOUT;
        let read = self.with_inner(&gathering, read, 0).await;
        let mut gathered = Gathered::default();
        gathered.roots = gathered.add(read, 0, Placed::HERE);
        Ok(Some(gathered))
    }

    async fn read_lines(
        &self,
        gathering: &Gathering,
        frame: &Frame,
        root: Option<u32>,
    ) -> Result<Option<Read>, ActError> {
        let mut options = gathering.options.clone();
        options["root"] = root.into();
        let mut rounds = 0;
        let mut has_asked = false;
        let answer = loop {
            let answer: Option<Answer> = frame.call(self, CAPTURE_TIMEOUT, "snapshot", vec![options.clone()]).await?;
            let Some(answer) = answer else { return Ok(None) };
            rounds += 1;
            let opens = answer.hosts > 0 && rounds < ROUNDS_MAX && self.open_closed_roots(frame, "hosts").await? > 0;
            if opens {
                continue;
            }
            let asks = answer.customs > 0 && !std::mem::replace(&mut has_asked, true);
            if !asks || !self.read_internals(frame, "customs", Vec::new()).await? {
                break answer;
            }
        };
        let taken = gathering
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(answer.lines.len()));
        let unreadable =
            |reason: String| PageError::from(CdpError::Unreadable { method: "Runtime.callFunctionOn".into(), reason });
        if taken.is_err() {
            return Err(unreadable("the document has too many lines".to_owned()).into());
        }
        let lines = serde_json::from_str(&answer.lines).map_err(|error| unreadable(error.to_string()))?;
        let Answer { cut: is_cut, late_rows, .. } = answer;
        Ok(Some(Read { frame: frame.clone(), lines, is_cut, late_rows, inner: Vec::new() }))
    }

    /// Reads the frames of a document too. Boxed, since frames nest.
    fn with_inner<'a>(&'a self, gathering: &'a Gathering, mut read: Read, depth: usize) -> BoxFuture<'a, Read> {
        Box::pin(async move {
            let frames = read.lines.iter().enumerate().filter(|(_, line)| line.inside.is_some());
            let reading = frames.filter_map(|(at, line)| Some((at, line.number?))).map(|(at, number)| {
                let outer = &read.frame;
                async move { (at, self.inner(gathering, outer, number, depth).await) }
            });
            let inner = join_all(reading).await;
            read.inner = inner;
            read
        })
    }

    async fn inner(&self, gathering: &Gathering, outer: &Frame, number: u32, depth: usize) -> Option<Read> {
        let take = |left: usize| left.checked_sub(1);
        if depth == FRAME_DEPTH_MAX
            || gathering.frames.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err()
        {
            return None;
        }
        let reading = async {
            // Never closed, so there is always a turn to wait for.
            let _turn = gathering.turns.acquire().await.ok();
            let mut tries = 0;
            loop {
                tries += 1;
                let read = async {
                    let frame = self.frame_in(outer, number).await?;
                    self.read_lines(gathering, &frame, None).await
                };
                match read.await {
                    Err(error) if tries < TRIES_MAX && is_in_between(&error) => sleep(NEXT_DOCUMENT_AFTER).await,
                    read => return read,
                }
            }
        };
        let read = timeout_at(gathering.deadline, reading).await.ok()?.ok()??;
        Some(self.with_inner(gathering, read, depth + 1).await)
    }
}

/// Whether it may be that a frame was just getting another document, or process.
fn is_in_between(error: &ActError) -> bool {
    matches!(
        error,
        ActError::NotFound(_) | ActError::Page(PageError::Browser(CdpError::Remote { .. } | CdpError::Detached))
    )
}

// === impl Placed ===

impl Placed {
    /// The window itself.
    const HERE: Self = Self([0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);

    fn point(self, h: f64, v: f64) -> (f64, f64) {
        let [x, y, a, b, c, d] = self.0;
        (x + a * h + c * v, y + b * h + d * v)
    }

    /// Where a frame inside this window is.
    fn around(self, inside: Self) -> Self {
        let [x, y, a, b, c, d] = inside.0;
        let [_, _, outer_a, outer_b, outer_c, outer_d] = self.0;
        let (x, y) = self.point(x, y);
        let turned = |h: f64, v: f64| (outer_a * h + outer_c * v, outer_b * h + outer_d * v);
        let ((a, b), (c, d)) = (turned(a, b), turned(c, d));
        Self([x, y, a, b, c, d])
    }

    /// The box around what a box of this window is, in whole pixels.
    fn bounds(self, [x, y, width, height]: [i64; 4]) -> [i64; 4] {
        let [x, y, width, height] = [x, y, width, height].map(|px| px as f64);
        let corners = [(x, y), (x + width, y), (x, y + height), (x + width, y + height)];
        let corners = corners.map(|(h, v)| self.point(h, v));
        let ends = |of: fn((f64, f64)) -> f64| {
            let all = corners.map(of);
            (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (top, bottom)) = (ends(|(h, _)| h), ends(|(_, v)| v));
        [left, top, right - left, bottom - top].map(whole)
    }
}

/// Whole pixels. A page that turns its frames out of all proportion gets the largest there are.
#[expect(clippy::cast_possible_truncation, reason = "a cast of floats ends at the largest integers")]
fn whole(px: f64) -> i64 {
    px.round() as i64
}

// === impl Gathered ===

impl Gathered {
    /// Makes nodes of a document's lines, from `level` on; `placed` is where its window is in the page's.
    fn add(&mut self, read: Read, level: usize, placed: Placed) -> Vec<Node> {
        let Read { frame, lines, is_cut, late_rows, inner } = read;
        self.is_cut |= is_cut;
        self.without_rows.extend(late_rows.then(|| frame.clone()));
        let mut inner = inner.into_iter().peekable();
        let mut roots = Vec::new();
        // The nodes that lines may still come into, each with its level.
        let mut open: Vec<(usize, Node)> = Vec::new();
        for (at, line) in lines.into_iter().enumerate() {
            let depth = line.level.min(LEVELS_MAX.saturating_sub(level));
            close(&mut open, &mut roots, depth);
            let inside = line.inside;
            let mut node = self.node(line, &frame, placed);
            if let Some((_, read)) = inner.next_if(|(of, _)| *of == at) {
                match read {
                    Some(read) => {
                        let inside = inside.map_or(placed, |inside| placed.around(inside));
                        node.children = self.add(read, level + depth + 1, inside);
                    }
                    None => self.is_cut = true,
                }
            }
            open.push((depth, node));
        }
        close(&mut open, &mut roots, 0);
        roots
    }

    fn node(&mut self, line: Line, frame: &Frame, placed: Placed) -> Node {
        let handle = line.number.map(|number| {
            let name = line.known.unwrap_or_else(|| line.name.clone());
            self.known.push(Known { frame: frame.clone(), number, role: line.role.clone(), name, row: line.row });
            self.known.len() as u64 - 1
        });
        Node {
            role: line.role,
            name: line.name,
            text: line.text,
            states: line.states.iter().filter_map(|state| State::parse(state)).collect(),
            handle,
            wants_ref: line.wants_ref,
            row: line.row,
            placeholder: line.placeholder,
            url: line.url,
            hint: line.hint,
            bounds: line.bounds.map(|bounds| placed.bounds(bounds)),
            ..Node::default()
        }
    }
}

/// Ends all open nodes of a level and below.
fn close(open: &mut Vec<(usize, Node)>, roots: &mut Vec<Node>, level: usize) {
    while let Some((_, node)) = open.pop_if(|(depth, _)| *depth >= level) {
        match open.last_mut() {
            Some((_, parent)) => parent.children.push(node),
            None => roots.push(node),
        }
    }
}
