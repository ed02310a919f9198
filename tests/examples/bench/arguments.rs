//! The command line arguments of the bench.

use std::path::PathBuf;

/// What to measure, and how often.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) shots: usize,
    pub(crate) bursts: usize,
    pub(crate) burst: usize,
    pub(crate) growth_shots: usize,
    pub(crate) pages: Vec<String>,
    pub(crate) at_once: Vec<usize>,
    pub(crate) only: Vec<String>,
    pub(crate) browserless: bool,
    pub(crate) settled: bool,
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) before: Option<PathBuf>,
    pub(crate) output: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn read() -> Self {
        let mut read = Self {
            shots: 30,
            bursts: 3,
            burst: 24,
            growth_shots: 0,
            pages: ["tiny", "article", "app"].map(str::to_owned).to_vec(),
            at_once: vec![1, 2, 4, 8],
            only: Vec::new(),
            browserless: false,
            settled: false,
            settings: Vec::new(),
            before: None,
            output: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
            let number = |text: String| text.parse::<usize>().expect("the value is a number");
            let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
            match word.as_str() {
                "--shots" => read.shots = number(value()).max(1),
                "--bursts" => read.bursts = number(value()).max(1),
                "--burst" => read.burst = number(value()).max(1),
                "--growth" => read.growth_shots = number(value()),
                "--pages" => read.pages = list(&value()),
                "--at-once" => read.at_once = list(&value()).into_iter().map(number).collect(),
                "--only" => read.only = list(&value()),
                "--browserless" => read.browserless = true,
                "--settled" => read.settled = true,
                "--setting" => {
                    let setting = value();
                    let (name, value) = setting.split_once('=').expect("NAME=VALUE");
                    read.settings.push((name.to_owned(), value.to_owned()));
                }
                "--before" => read.before = Some(value().into()),
                "--output" => read.output = Some(value().into()),
                _ => panic!("unknown argument: {word}"),
            }
        }
        read
    }

    /// Returns whether the contender of that name takes part.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| name.contains(word.as_str()))
    }
}
