//! The tables, in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use super::arguments::Arguments;
use super::contender::{Burst, Contender};
use super::service::{Own, Soak};

/// The key of a row in the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) page: &'static str,
    pub(crate) contender: &'static str,
    /// Concurrency; 0 for single shots with a pause before each.
    pub(crate) at_once: usize,
}

#[derive(Default)]
struct Figures {
    took_ms: Vec<f64>,
    finals: usize,
    phases: Vec<(String, Vec<f64>)>,
    per_second: Vec<f64>,
    cpu_ms: Vec<f64>,
    memory_mb: f64,
}

pub(crate) struct Report {
    cells: BTreeMap<Cell, Figures>,
    contenders: Vec<&'static str>,
    asked: String,
    pub(crate) own: Option<(Vec<Own>, Option<Soak>)>,
}

impl Report {
    pub(crate) fn new(arguments: &Arguments, contenders: &[Contender<'_>]) -> Self {
        let asked = format!("{} shots, {} bursts of {}", arguments.shots, arguments.bursts, arguments.burst);
        Self { cells: BTreeMap::new(), contenders: contenders.iter().map(Contender::name).collect(), asked, own: None }
    }

    pub(crate) fn alone(&mut self, page: &'static str, contender: &'static str, shot: &Burst, is_final: bool) {
        let figures = self.cells.entry(Cell { page, contender, at_once: 0 }).or_default();
        figures.took_ms.extend_from_slice(&shot.took_ms);
        figures.finals += usize::from(is_final);
        for (name, took_ms) in &shot.phases {
            match figures.phases.iter_mut().find(|(known, _)| known == name) {
                Some((_, took)) => took.push(*took_ms),
                None => figures.phases.push((name.clone(), vec![*took_ms])),
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn burst(&mut self, cell: Cell, took_ms: &[f64], took: Duration, cpu_ms: f64) {
        let figures = self.cells.entry(cell).or_default();
        figures.took_ms.extend_from_slice(took_ms);
        figures.per_second.push(took_ms.len() as f64 / took.as_secs_f64());
        figures.cpu_ms.push(cpu_ms);
    }

    pub(crate) fn memory(&mut self, cell: Cell, memory_mb: f64) {
        self.cells.entry(cell).or_default().memory_mb = memory_mb;
    }

    /// Prints the report, and writes it to `output` if given.
    pub(crate) fn show(&self, output: Option<&Path>) {
        put_out(&self.text(), output);
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let cores = available_parallelism().map_or(0, usize::from);
        let _ = writeln!(text, "390x844, PNG of the viewport; {cores} cores; {}.\n", self.asked);
        let _ = writeln!(
            text,
            "Single shots, a pause before each:\n\n| page | contender | median ms | p95 ms | × bare | final picture |"
        );
        let _ = writeln!(text, "|---|---|---|---|---|---|");
        for page in self.pages() {
            let bare = self.cells.get(&Cell { page, contender: self.contenders[0], at_once: 0 });
            let bare = bare.map_or(f64::NAN, |figures| quantile(&figures.took_ms, 0.5));
            for contender in &self.contenders {
                let Some(figures) = self.cells.get(&Cell { page, contender, at_once: 0 }) else { continue };
                let (median, p95) = (quantile(&figures.took_ms, 0.5), quantile(&figures.took_ms, 0.95));
                let share = 100 * figures.finals / figures.took_ms.len().max(1);
                let ratio = median / bare;
                let _ = writeln!(text, "| {page} | {contender} | {median:.1} | {p95:.1} | {ratio:.2} | {share} % |");
            }
        }
        text.push_str("\nPhases of that time (medians, ms):\n\n| page | contender | |\n|---|---|---|\n");
        for page in self.pages() {
            for contender in &self.contenders {
                let Some(figures) = self.cells.get(&Cell { page, contender, at_once: 0 }) else { continue };
                let phase = |(name, took): &(String, Vec<f64>)| format!("{name} {:.0}", quantile(took, 0.5));
                let phases: Vec<String> = figures.phases.iter().map(phase).collect();
                if !phases.is_empty() {
                    let _ = writeln!(text, "| {page} | {contender} | {} |", phases.join(", "));
                }
            }
        }
        let _ = writeln!(
            text,
            "\nBursts:\n\n| page | at once | contender | median ms | p95 ms | per second | CPU ms per shot | peak MB |\n|---|---|---|---|---|---|---|---|"
        );
        for page in self.pages() {
            let mut at_onces: Vec<usize> = self.cells.keys().map(|cell| cell.at_once).filter(|at| *at > 0).collect();
            at_onces.sort_unstable();
            at_onces.dedup();
            for at_once in at_onces {
                for contender in &self.contenders {
                    let Some(figures) = self.cells.get(&Cell { page, contender, at_once }) else { continue };
                    let (median, p95) = (quantile(&figures.took_ms, 0.5), quantile(&figures.took_ms, 0.95));
                    let (second, cpu) = (quantile(&figures.per_second, 0.5), quantile(&figures.cpu_ms, 0.5));
                    let memory = figures.memory_mb;
                    let _ = writeln!(
                        text,
                        "| {page} | {at_once} | {contender} | {median:.0} | {p95:.0} | {second:.1} | {cpu:.0} | {memory:.0} |"
                    );
                }
            }
        }
        for own in self.own.iter().flat_map(|(own, _)| own) {
            let Own { name, idle_mb, cpu_ms, ready_ms, growth_mb } = own;
            let _ = write!(
                text,
                "\n{name}: {idle_mb:.1} MB idle, {cpu_ms:.1} ms of its own processor time per tiny screenshot"
            );
            if let Some(ready_ms) = ready_ms {
                let _ = write!(text, ", {ready_ms:.0} ms from its start until it answers `/readyz`");
            }
            if let Some((before, after)) = growth_mb {
                let _ = write!(text, ", {before:.1} MB before and {after:.1} MB after the growth shots");
            }
        }
        if let Some((_, Some(soak))) = &self.own {
            let Soak { shots, browsers_mb: (before, after), other_pictures, visited_again, browsers_ended } = soak;
            let _ = write!(
                text,
                "\nsoak of {shots}: {other_pictures} pictures differ from the first, {visited_again} pages visited again, \
                 {browsers_ended} browsers ended; browsers {before:.0} MB before, {after:.0} MB after"
            );
        }
        text.push('\n');
        text
    }

    fn pages(&self) -> Vec<&'static str> {
        let mut pages: Vec<&str> = self.cells.keys().map(|cell| cell.page).collect();
        pages.dedup();
        ["tiny", "article", "app"].into_iter().filter(|page| pages.contains(page)).collect()
    }
}

/// Prints a text, and writes it to `output` if given.
pub(crate) fn put_out(text: &str, output: Option<&Path>) {
    print!("{text}");
    if let Some(output) = output {
        std::fs::write(output, text).expect("the report can be written");
    }
}

/// Returns the quantile of `values` at `share`; of two middle values, the upper one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "an index")]
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(f64::NAN)
}
