//! Detects walls in place of the page: captchas, refusals, "enable JavaScript", consent walls. An agent that summarised
//! one of them would report something wrong that looks right.

use porthole_contract::{Warning, WarningCode};

use crate::snapshot::Head;

/// A page with more text than this is no wall: its words are not looked at. UTF-16 units.
const WALL_MAX_UNITS: u64 = 3_000;
/// The same limit for a page that only says that it needs JavaScript.
const SCRIPT_WALL_MAX_UNITS: u64 = 800;
/// A layer that covers a smaller share of the window than this is no wall, in thousandths.
const CONSENT_SHARE_MIN: u32 = 300;

const CHALLENGES: &[&str] = &[
    "verify you are human",
    "verify that you are human",
    "verifying you are human",
    "are you a robot",
    "not a robot",
    "are you human",
    "checking your browser",
    "checking if the site connection is secure",
    "just a moment...",
    "unusual traffic",
    "press & hold",
    "press and hold",
    "pardon our interruption",
    "complete the captcha",
    "solve the captcha",
    "security check",
    "captcha",
    "enable javascript and cookies to continue",
    "please enable js and disable any ad blocker",
    "ddos protection",
    "bestätigen sie, dass sie ein mensch sind",
    "ich bin kein roboter",
    "je ne suis pas un robot",
    "no soy un robot",
    "não sou um robô",
    "я не робот",
    "人机验证",
    "安全验证",
    "私はロボットではありません",
];
const REFUSALS: &[&str] = &[
    "access denied",
    "access to this page has been denied",
    "you have been blocked",
    "request unsuccessful",
    "request blocked",
    "403 forbidden",
    "you don't have permission to access",
    "your request has been blocked",
    "the request could not be satisfied",
    "too many requests",
    "attention required!",
    "error 1020",
    "zugriff verweigert",
    "accès refusé",
    "acceso denegado",
    "доступ запрещ",
];
const NEEDS_SCRIPT: &[&str] = &[
    "enable javascript",
    "javascript is disabled",
    "javascript is required",
    "requires javascript",
    "javascript to run this app",
    "turn on javascript",
    "activate javascript",
    "javascript aktivieren",
    "activer javascript",
    "habilita javascript",
    "ative o javascript",
    "включите javascript",
];
const CONSENT: &[&str] = &[
    "cookie",
    "consent",
    "gdpr",
    "einwilligung",
    "zustimmen",
    "datenschutz",
    "consentement",
    "consentimiento",
    "consenso",
    "toestemming",
    "samtykke",
    "файлы cookie",
];
const ASKS: &[&str] = &[
    "accept",
    "agree",
    "reject",
    "allow all",
    "manage",
    "akzeptieren",
    "zustimmen",
    "ablehnen",
    "accepter",
    "refuser",
    "aceptar",
    "rechazar",
    "aceitar",
    "accetta",
    "accepteren",
    "принять",
];
/// Sources of challenges; on a page with text they may only protect a form.
const CHALLENGE_SOURCES: &[&str] = &[
    "challenges.cloudflare.com",
    "/cdn-cgi/challenge-platform",
    "captcha-delivery.com",
    "hcaptcha.com",
    "px-captcha",
    "arkoselabs.com",
    "funcaptcha",
    "recaptcha/api",
    "recaptcha/enterprise",
    "awswaf.com",
    "_incapsula_resource",
    "geetest.com",
];

/// Returns warnings about walls.
#[must_use]
pub fn warnings(head: &Head, status: u16) -> Vec<Warning> {
    let text = fold(&format!("{}\n{}", head.title, head.start.text));
    let units = head.start.chars;
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let mut warnings = Vec::new();
    let challenged =
        head.sources.iter().any(|source| CHALLENGE_SOURCES.iter().any(|known| source.to_lowercase().contains(known)));
    let short = units <= WALL_MAX_UNITS;
    let title = fold(&head.title);
    if short
        && (says(CHALLENGES) && (units <= SCRIPT_WALL_MAX_UNITS * 2 || challenged || status >= 400)
            || (challenged && units <= SCRIPT_WALL_MAX_UNITS))
    {
        warnings
            .push(WarningCode::BlockPage.says("this looks like a captcha or a check for robots, not the page itself"));
    } else if short
        && (REFUSALS.iter().any(|word| title.contains(word))
            || (says(REFUSALS) && (units <= SCRIPT_WALL_MAX_UNITS || status >= 400)))
    {
        warnings.push(
            WarningCode::BlockPage
                .says(format!("this looks like a refusal by the site (HTTP {status}), not the page itself")),
        );
    } else if matches!(status, 401 | 403 | 407 | 429 | 451) && short {
        warnings.push(
            WarningCode::BlockPage.says(format!("the site answered HTTP {status}, so this may not be the page itself")),
        );
    } else if units <= SCRIPT_WALL_MAX_UNITS && says(NEEDS_SCRIPT) {
        warnings
            .push(WarningCode::BlockPage.says("the page says that it needs JavaScript; its content has not appeared"));
    }
    let asks =
        |text: &str| CONSENT.iter().any(|word| text.contains(word)) && ASKS.iter().any(|word| text.contains(word));
    let before = head.front.as_ref().is_some_and(|front| front.share >= CONSENT_SHARE_MIN && asks(&fold(&front.text)));
    let instead = units <= WALL_MAX_UNITS / 2 && text.contains("before you continue") && asks(&text);
    if before || instead {
        warnings.push(
            WarningCode::ConsentWall
                .says("a cookie or consent dialog covers the page; content behind it may be missing"),
        );
    }
    warnings
}

fn fold(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Front, Start};

    fn page(title: &str, text: &str) -> Head {
        Head {
            title: title.to_owned(),
            start: Start { text: text.to_owned(), chars: text.encode_utf16().count() as u64 },
            ..Head::default()
        }
    }

    #[test]
    fn walls_are_distinguished_from_pages() {
        let code =
            |head: &Head, status| warnings(head, status).iter().map(|warning| warning.code.name()).collect::<Vec<_>>();
        assert_eq!(
            code(&page("Just a moment...", "Verifying you are human. This may take a few seconds."), 403),
            ["block_page"]
        );
        assert_eq!(
            code(&page("Access Denied", "You don't have permission to access this on this server."), 403),
            ["block_page"]
        );
        assert_eq!(code(&page("App", "You need to enable JavaScript to run this app."), 200), ["block_page"]);
        assert_eq!(code(&page("", ""), 429), ["block_page"]);
        let article =
            format!("How captchas work. {}", "Verify you are human, says the box. It is a captcha. ".repeat(100));
        assert_eq!(code(&page("Captchas", &article), 200), [""; 0]);
        let front = |share| Head {
            front: Some(Front { text: "We use cookies. Accept all / Reject all".to_owned(), share }),
            ..page("Shop", &"Goods. ".repeat(500))
        };
        assert_eq!(code(&front(600), 200), ["consent_wall"]);
        assert_eq!(code(&front(100), 200), [""; 0]);
    }
}
