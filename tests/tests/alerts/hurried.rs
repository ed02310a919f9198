//! The alert rules with shortened durations: a minute becomes a second, an hour a minute. Nothing else changes, so
//! thresholds and counts are those of production.

/// The rules as they are shipped to operators.
pub(crate) const RULES: &str = include_str!("../../../deploy/prometheus/alerts.yml");

/// Shortens the durations after `for:` and in range selectors (`[5m]`).
pub(crate) fn hurried(rules: &str) -> String {
    rules.lines().map(|line| hurried_line(line) + "\n").collect()
}

fn hurried_line(line: &str) -> String {
    if let Some((before, duration)) = line.split_once("for: ") {
        return format!("{before}for: {}", shortened(duration));
    }
    let mut parts = line.split('[');
    let mut hurried = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (duration, rest) = part.split_once(']').expect("a range selector has a closing bracket");
        hurried.push_str(&format!("[{}]{rest}", shortened(duration)));
    }
    hurried
}

fn shortened(duration: &str) -> String {
    let (number, unit) = duration.split_at(duration.len() - 1);
    let number: u32 = number.parse().unwrap_or_else(|_| panic!("{duration} is not a number and one unit"));
    let unit = match unit {
        "m" => "s",
        "h" => "m",
        _ => panic!("{duration} is in neither minutes nor hours"),
    };
    format!("{number}{unit}")
}

/// The names of all alerts.
pub(crate) fn alerts() -> Vec<&'static str> {
    RULES.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect()
}

#[test]
fn durations_alone_are_shortened() {
    assert_eq!(
        hurried("a: sum(x{b=\"5m\"}[5m]) / y[1h]\n  for: 10m\n"),
        "a: sum(x{b=\"5m\"}[5s]) / y[1m]\n  for: 10s\n"
    );
}
