//! A strict parser of Prometheus' text format 0.0.4 and OpenMetrics 1.0.0.

use std::collections::{BTreeMap, BTreeSet};

/// A family of samples.
#[derive(Debug, Default)]
pub struct Family {
    /// `counter`, `gauge`, `histogram` or `info`.
    pub kind: String,
    /// Values by series, written as in the text: `porthole_pages{state="busy"}`.
    pub samples: BTreeMap<String, f64>,
}

/// Parses text in Prometheus' format; returns the families by the name in their TYPE line.
///
/// # Panics
/// With the invalid line.
#[must_use]
pub fn prometheus(text: &str) -> BTreeMap<String, Family> {
    read(text, false)
}

/// Parses text in OpenMetrics' format likewise.
///
/// # Panics
/// With the invalid line.
#[must_use]
pub fn openmetrics(text: &str) -> BTreeMap<String, Family> {
    let text = text.strip_suffix("# EOF\n").expect("OpenMetrics ends with `# EOF`");
    assert!(!text.contains("# EOF"), "`# EOF` occurs only at the end");
    read(text, true)
}

fn read(text: &str, open: bool) -> BTreeMap<String, Family> {
    assert!(text.ends_with('\n'), "the last line ends with a newline");
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let mut current = String::new();
    let mut helped = String::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, sentence) = help.split_once(' ').unwrap_or_else(|| panic!("no help text: {line}"));
            assert!(!sentence.trim().is_empty() && !families.contains_key(name), "{line}");
            name.clone_into(&mut helped);
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap_or_else(|| panic!("no type: {line}"));
            assert_eq!(helped, name, "HELP comes before TYPE");
            let kinds: &[&str] =
                if open { &["counter", "gauge", "histogram", "info"] } else { &["counter", "gauge", "histogram"] };
            assert!(kinds.contains(&kind) && is_name(name), "{line}");
            assert!(!open || kind != "counter" || !name.ends_with("_total"), "{line}");
            let family = Family { kind: kind.to_owned(), samples: BTreeMap::new() };
            assert!(families.insert(name.to_owned(), family).is_none(), "duplicate: {line}");
            name.clone_into(&mut current);
        } else if open && line.starts_with("# UNIT ") {
        } else {
            assert!(!line.starts_with('#') && !line.is_empty(), "{line:?}");
            let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no value: {line}"));
            let value: f64 = value.parse().unwrap_or_else(|_| panic!("not a number: {line}"));
            let family = families.get_mut(&current).unwrap_or_else(|| panic!("no family for: {line}"));
            let (name, labels) = split(series);
            let suffixes: &[&str] = match (family.kind.as_str(), open) {
                ("counter", true) => &["_total", "_created"],
                ("info", _) => &["_info"],
                ("histogram", _) => &["_bucket", "_sum", "_count", "_created"],
                _ => &[""],
            };
            let belongs = suffixes.iter().any(|suffix| name.strip_suffix(suffix) == Some(&current));
            assert!(belongs && is_name(name), "does not belong to {current}: {line}");
            let names: Vec<&str> = labels.iter().map(|(name, _)| name.as_str()).collect();
            assert!(names.iter().collect::<BTreeSet<_>>().len() == names.len(), "duplicate label: {line}");
            assert!(names.iter().all(|name| is_name(name) && !name.contains(':')), "{line}");
            assert!(family.kind == "gauge" || value >= 0.0, "{line}");
            assert!(family.samples.insert(series.to_owned(), value).is_none(), "duplicate: {line}");
        }
    }
    for (name, family) in &families {
        assert!(
            open || family.kind != "counter" || name.ends_with("_total"),
            "the counter {name} does not end in _total"
        );
        if family.kind == "histogram" {
            expect_histogram(name, family);
        }
    }
    families
}

/// Returns the names of a family's labels, without `le` of histogram buckets.
#[must_use]
pub fn label_names(family: &Family) -> BTreeSet<String> {
    let labels = family.samples.keys().flat_map(|series| split(series).1);
    labels.map(|(name, _)| name).filter(|name| name != "le").collect()
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == ':';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// Splits a series into its name and labels.
fn split(series: &str) -> (&str, Vec<(String, String)>) {
    let Some((name, rest)) = series.split_once('{') else {
        return (series, Vec::new());
    };
    let mut labels = Vec::new();
    let mut rest = rest.strip_suffix('}').unwrap_or_else(|| panic!("unclosed labels: {series}"));
    while !rest.is_empty() {
        let (label, quoted) = rest.split_once("=\"").unwrap_or_else(|| panic!("no label: {series}"));
        let (mut value, mut end, mut escaped) = (String::new(), None, false);
        for (at, c) in quoted.char_indices() {
            match (escaped, c) {
                (true, 'n') => value.push('\n'),
                (true, '\\' | '"') => value.push(c),
                (true, _) => panic!("invalid escape: {series}"),
                (false, '"') => {
                    end = Some(at);
                    break;
                }
                (false, '\\') => {}
                (false, c) => value.push(c),
            }
            escaped = !escaped && c == '\\';
        }
        let end = end.unwrap_or_else(|| panic!("unclosed quote: {series}"));
        labels.push((label.to_owned(), value));
        rest = &quoted[end + 1..];
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    (name, labels)
}

/// Asserts that buckets are cumulative, that the last one is `+Inf` and equals the count, and that sum and count exist.
fn expect_histogram(name: &str, family: &Family) {
    let mut buckets: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for (series, value) in &family.samples {
        let (sample, labels) = split(series);
        if sample.ends_with("_bucket") {
            let bound = labels.iter().find(|(label, _)| label == "le").expect("a bucket has a bound").1.clone();
            let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().expect("a bound is a number") };
            let others: Vec<String> = labels
                .iter()
                .filter(|(label, _)| label != "le")
                .map(|(label, value)| format!("{label}=\"{value}\""))
                .collect();
            buckets.entry(others.join(",")).or_default().push((bound, *value));
        }
    }
    assert!(!buckets.is_empty(), "{name} has no buckets");
    for (labels, mut buckets) in buckets {
        buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(buckets.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1), "{name}: {buckets:?}");
        let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
        let of = |suffix: &str| family.samples.get(&format!("{name}{suffix}{labels}")).copied();
        let (bound, all) = buckets[buckets.len() - 1];
        assert!(bound.is_infinite() && of("_count") == Some(all) && of("_sum").is_some(), "{name}{labels}");
    }
}
