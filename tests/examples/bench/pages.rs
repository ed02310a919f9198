//! The three pages: "tiny" (1 KB), "article" (50 KB of HTML, 90 KB of CSS, 8 pictures, a script) and "app" (a page that
//! a script fills with fetched data). They are generated deterministically, so every run has the same.

use std::fmt::Write as _;
use std::time::Duration;

use image::{ImageFormat, RgbImage};
use porthole_tests::{Reply, Site};

/// A page of the bench.
pub(crate) struct Page {
    pub(crate) name: &'static str,
    pub(crate) url: String,
}

const HEAD: &str = "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>";
const WORDS: [&str; 16] = [
    "harbour", "light", "the", "of", "a", "vessel", "under", "morning", "rope", "and", "salt", "window", "slow",
    "tide", "beyond", "glass",
];
/// Delay of the app's data.
const DATA_AFTER: Duration = Duration::from_millis(40);

/// Puts the named pages on the site.
pub(crate) fn put(site: &Site, names: &[String]) -> Vec<Page> {
    type Put = fn(&Site) -> String;
    let all: [(&'static str, Put); 3] = [("tiny", tiny), ("article", article), ("app", app)];
    let wanted = all.into_iter().filter(|(name, _)| names.iter().any(|wanted| wanted == name));
    wanted.map(|(name, put)| Page { name, url: put(site) }).collect()
}

fn tiny(site: &Site) -> String {
    let text = sentence(3, 110);
    site.html(&format!(
        "{HEAD}<title>tiny</title><style>body{{font:16px sans-serif;margin:2em;background:#eef}}</style><h1>Tiny</h1>\
         <p>{text}"
    ))
}

fn article(site: &Site) -> String {
    let mut css =
        "body{font:17px/1.6 serif;max-width:40em;margin:auto;padding:1em}img{float:right;margin:.5em}".to_owned();
    for number in 0.. {
        let (hue, space) = (number * 37 % 360, number % 7);
        let _ = writeln!(css, ".card-{number} .title-{number}>a{{color:hsl({hue} 60% 40%);padding:{space}px}}");
        if css.len() > 90_000 {
            break;
        }
    }
    let css = site.page(Reply::of("text/css", css));
    let script = site.page(Reply::of(
        "text/javascript",
        "const seen = new Map();\n\
         for (const p of document.querySelectorAll('p')) for (const word of p.textContent.split(' '))\n  \
         seen.set(word, (seen.get(word) ?? 0) + 1);\n\
         document.querySelector('h1').title = [...seen].sort((a, b) => b[1] - a[1])[0][0];",
    ));
    let mut html = format!("{HEAD}<title>article</title><link rel=stylesheet href='{css}'><h1>An article</h1>");
    let mut pictures = 0;
    for number in 0.. {
        if number % 12 == 0 && pictures < 8 {
            let picture = site.page(Reply::of("image/jpeg", photograph(pictures)));
            let _ = write!(html, "<img width=180 height=120 src='{picture}'>");
            pictures += 1;
        }
        let _ = write!(
            html,
            "<p class='card-{number}'><span class='title-{number}'><a>{}</a></span>",
            sentence(number, 480)
        );
        if html.len() > 50_000 && pictures == 8 {
            break;
        }
    }
    site.html(&format!("{html}<script defer src='{script}'></script>"))
}

/// Creates a list that shows a skeleton until its data arrives, is then drawn with the next frame and fades in.
fn app(site: &Site) -> String {
    let rows: Vec<String> = (0..60)
        .map(|number| format!("{{\"name\":\"{}\",\"price\":{}}}", sentence(number, 24), number * 3 + 1))
        .collect();
    let data = site.page(Reply::of("application/json", format!("[{}]", rows.join(","))).late(DATA_AFTER));
    let filler: String =
        (0..700).map(|n| format!("parts.push(() => ({{ id: {n}, text: '{}' }}));\n", sentence(n, 40))).collect();
    let script = site.page(Reply::of(
        "text/javascript",
        format!(
            "const parts = [];\n{filler}
            const element = (tag, props, ...children) => ({{ tag, props, children }});
            const render = node => {{
                if (typeof node === 'string') return document.createTextNode(node);
                const made = Object.assign(document.createElement(node.tag), node.props);
                made.append(...node.children.map(render));
                return made;
            }};
            const view = rows => element('ul', {{ className: 'list' }}, ...rows.map(row =>
                element('li', {{ className: 'row' }}, element('b', {{}}, row.name), element('i', {{}}, row.price + ' €'))));
            addEventListener('load', async () => {{
                for (const part of parts) part();
                const rows = await (await fetch('{data}')).json();
                requestAnimationFrame(() => document.querySelector('#app').replaceChildren(render(view(rows))));
            }});"
        ),
    ));
    site.html(&format!(
        "{HEAD}<title>app</title><style>
        body {{ font: 16px sans-serif; margin: 0 }}
        .skeleton {{ height: 40px; margin: 8px; background: #ccc }}
        @keyframes come {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
        .list {{ animation: come .4s both; padding: 0; margin: 0 }}
        .row {{ display: flex; justify-content: space-between; padding: 10px; border-bottom: 1px solid #ddd }}
        </style><div id=app>{}</div><script src='{script}'></script>",
        "<div class=skeleton></div>".repeat(12)
    ))
}

/// Returns pseudo-random words of about `bytes` bytes.
fn sentence(seed: usize, bytes: usize) -> String {
    let mut text = String::new();
    let mut state = seed * 7 + 1;
    while text.len() < bytes {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(WORDS[state / 65_536 % WORDS.len()]);
    }
    text
}

#[expect(clippy::cast_possible_truncation, reason = "colours wrap around")]
fn photograph(number: u32) -> Vec<u8> {
    let picture = RgbImage::from_fn(360, 240, |x, y| {
        let wave = (x * x / 90 + y * y / (60 + 9 * number)) as u8;
        image::Rgb([wave, wave.wrapping_mul(3), (x ^ y) as u8 / 4 + 90])
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Jpeg).expect("a JPEG in memory");
    bytes.into_inner()
}
