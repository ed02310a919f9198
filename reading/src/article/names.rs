//! What class names, ids, roles and headings say about a part of a page.

use crate::dom::{Dom, NodeId};

/// What a part of a page is by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Furniture of the page.
    Furniture,
    /// What readers wrote below it.
    Comments,
    /// Who wrote it and when, labels, captions: about the content, not of it.
    About,
    /// The content itself.
    Body,
    /// Nothing can be told.
    Unknown,
}

const FURNITURE: &[&str] = &[
    "nav",
    "navbar",
    "navigation",
    "menu",
    "submenu",
    "megamenu",
    "footer",
    "sidebar",
    "breadcrumb",
    "breadcrumbs",
    "share",
    "sharing",
    "shares",
    "sharebar",
    "sharedaddy",
    "addthis",
    "addtoany",
    "social",
    "socials",
    "related",
    "relateds",
    "recommended",
    "recommendation",
    "recommendations",
    "promo",
    "promos",
    "promotion",
    "advert",
    "adverts",
    "advertisement",
    "advertising",
    "ad",
    "ads",
    "adsense",
    "adslot",
    "sponsor",
    "sponsored",
    "newsletter",
    "newsletters",
    "subscribe",
    "subscription",
    "signup",
    "popup",
    "modal",
    "overlay",
    "cookie",
    "cookies",
    "consent",
    "gdpr",
    "pagination",
    "pager",
    "pagenav",
    "widget",
    "widgets",
    "toolbar",
    "skip",
    "login",
    "signin",
    "outbrain",
    "taboola",
    "trending",
    "popular",
    "upnext",
    "readmore",
    "paywall",
    "masthead",
    "copyright",
    "prevnext",
    "rail",
    "mostread",
    "jumplinks",
    "toc",
    "zergnet",
    "crosslinks",
    "followus",
    "donate",
    "editsection",
    "noprint",
    "printonly",
    "navbox",
    "catlinks",
    "sr",
    "infobar",
    "dropdown",
];
const FURNITURE_PAIRS: &[(&str, &str)] = &[
    ("read", "also"),
    ("read", "next"),
    ("see", "also"),
    ("also", "read"),
    ("more", "stories"),
    ("more", "news"),
    ("more", "from"),
    ("you", "may"),
    ("most", "read"),
    ("most", "popular"),
    ("site", "header"),
    ("page", "header"),
    ("global", "header"),
    ("top", "bar"),
    ("sign", "up"),
    ("side", "bar"),
    ("story", "list"),
    ("news", "list"),
    ("post", "navigation"),
    ("nav", "links"),
    ("mw", "editsection"),
    ("screen", "reader"),
    ("follow", "us"),
    ("back", "top"),
    ("load", "more"),
    ("show", "more"),
    ("up", "next"),
    ("next", "article"),
    ("in", "article"),
    ("jump", "to"),
    ("dont", "miss"),
    ("must", "read"),
    ("latest", "news"),
    ("right", "column"),
];
const COMMENTS: &[&str] = &[
    "comment",
    "comments",
    "commentlist",
    "disqus",
    "respond",
    "replies",
    "discussion",
    "livefyre",
    "commenting",
    "reactions",
];
const ABOUT: &[&str] = &[
    "byline",
    "bylines",
    "author",
    "authors",
    "dateline",
    "timestamp",
    "pubdate",
    "caption",
    "credit",
    "credits",
    "figcaption",
    "tags",
    "taglist",
    "kicker",
    "postmeta",
    "entrymeta",
    "articlemeta",
    "readtime",
    "views",
    "rating",
    "attribution",
    "bio",
    "authorbio",
    "contributors",
    "keywords",
    "topics",
    "category",
    "categories",
    "date",
    "byl",
    "photocredit",
    "imagecaption",
    "published",
];
const ABOUT_PAIRS: &[(&str, &str)] = &[
    ("post", "meta"),
    ("entry", "meta"),
    ("article", "meta"),
    ("meta", "data"),
    ("author", "info"),
    ("read", "time"),
    ("entry", "footer"),
    ("post", "footer"),
    ("article", "footer"),
    ("article", "info"),
    ("post", "info"),
    ("story", "meta"),
];
const BODY_PAIRS: &[(&str, &str)] = &[
    ("article", "body"),
    ("article", "content"),
    ("article", "text"),
    ("entry", "content"),
    ("post", "content"),
    ("post", "body"),
    ("story", "body"),
    ("story", "content"),
    ("story", "text"),
    ("content", "body"),
    ("parser", "output"),
    ("markdown", "body"),
    ("body", "content"),
    ("body", "text"),
    ("news", "body"),
    ("news", "content"),
    ("news", "text"),
    ("detail", "content"),
    ("blog", "content"),
    ("single", "content"),
    ("body", "copy"),
    ("article", "copy"),
];
const BODY: &[&str] = &[
    "articlebody",
    "articlecontent",
    "articletext",
    "entrycontent",
    "postcontent",
    "postbody",
    "storybody",
    "storytext",
    "storycontent",
    "newsbody",
    "bodytext",
];

/// The words of class and id, in lower case: `articleBody_main` is three.
fn words(dom: &Dom, id: NodeId) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for name in ["class", "id"] {
        let mut word = String::new();
        let mut last_lower = false;
        for c in dom.attribute(id, name).unwrap_or_default().chars().take(400) {
            let ends = !c.is_ascii_alphabetic() || (c.is_ascii_uppercase() && last_lower);
            if ends && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if c.is_ascii_alphabetic() {
                word.push(c.to_ascii_lowercase());
            }
            last_lower = c.is_ascii_lowercase();
        }
        if !word.is_empty() {
            words.push(word);
        }
        words.push(String::new());
    }
    words
}

/// What a part is by its element, role, class and id.
pub(super) fn part(dom: &Dom, id: NodeId) -> Part {
    let name = dom.name(id);
    match name {
        "nav" | "dialog" | "button" | "menu" | "search" => return Part::Furniture,
        "figcaption" => return Part::About,
        "html" | "body" | "main" => return Part::Unknown,
        _ => {}
    }
    match dom.attribute(id, "role") {
        Some(
            "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "dialog" | "alertdialog" | "menu"
            | "menubar" | "toolbar" | "tablist" | "alert" | "button" | "tooltip",
        ) => return Part::Furniture,
        Some("doc-noteref") => return Part::Unknown,
        _ => {}
    }
    let itemprop = dom.attribute(id, "itemprop").unwrap_or_default();
    if itemprop.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("articlebody")) {
        return Part::Body;
    }
    let mut words = words(dom, id);
    // Weblog software names a post's categories and tags in its class.
    if words.iter().any(|word| word == "hentry") || (name == "article" && words.len() > 12) {
        words.clear();
    }
    let has = |list: &[&str]| words.iter().any(|word| !word.is_empty() && list.contains(&word.as_str()));
    let has_pair = |list: &[(&str, &str)]| {
        words.windows(2).any(|pair| list.iter().any(|(one, other)| pair[0] == *one && pair[1] == *other))
    };
    // What is quoted from elsewhere is part of the text that quotes it.
    if words.iter().any(|word| word == "embed" || word == "tweet")
        && dom.subtree(id).any(|below| dom.name(below) == "blockquote")
    {
        return Part::Unknown;
    }
    if has(BODY) || has_pair(BODY_PAIRS) {
        return Part::Body;
    }
    if has(COMMENTS) {
        return Part::Comments;
    }
    if has_pair(FURNITURE_PAIRS) {
        return Part::Furniture;
    }
    if has(FURNITURE) {
        return Part::Furniture;
    }
    if has(ABOUT)
        || has_pair(ABOUT_PAIRS)
        || itemprop.contains("author")
        || itemprop.contains("datePublished")
        || dom.attribute(id, "rel") == Some("author")
    {
        return Part::About;
    }
    match name {
        "aside" | "footer" | "header" | "form" => Part::Furniture,
        _ => Part::Unknown,
    }
}

/// Whether a part says that it holds the content, more plainly than [`part`] has it.
pub(super) fn is_body(dom: &Dom, id: NodeId) -> bool {
    part(dom, id) == Part::Body
}

const LEADS: &[&str] = &[
    "summary",
    "lead",
    "lede",
    "intro",
    "introduction",
    "standfirst",
    "dek",
    "chapo",
    "subtitle",
    "subheadline",
    "abstract",
    "excerpt",
    "introtext",
    "vorspann",
    "ingress",
    "sumario",
    "entradilla",
    "bajada",
    "chapeau",
    "occhiello",
    "sommario",
    "deck",
];

/// Whether a part says that it leads into the content.
pub(super) fn is_lead(dom: &Dom, id: NodeId) -> bool {
    words(dom, id).iter().any(|word| LEADS.contains(&word.as_str()))
}

const LEADS_AWAY: &[&str] = &[
    "related",
    "read more",
    "read also",
    "also read",
    "see also",
    "read next",
    "more from",
    "more on",
    "more stories",
    "more news",
    "most read",
    "most popular",
    "recommended",
    "you may also like",
    "you might also like",
    "don't miss",
    "don’t miss",
    "trending",
    "popular",
    "share this",
    "share on",
    "share:",
    "follow us",
    "follow on",
    "advertisement",
    "sponsored",
    "sign up",
    "subscribe",
    "newsletter",
    "comments",
    "leave a comment",
    "leave a reply",
    "join the",
    "copyright",
    "all rights reserved",
    "click here",
    "watch:",
    "video:",
    "photo:",
    "photos:",
    "image:",
    "image credit",
    "photo credit",
    "listen to",
    "download the",
    "get the app",
    "tags:",
    "tagged",
    "filed under",
    "topics:",
    "continue reading",
    "lees ook",
    "lire aussi",
    "à lire",
    "lesen sie auch",
    "leia também",
    "leia mais",
    "lea también",
    "leggi anche",
    "vedi anche",
    "mehr zum thema",
    "auch interessant",
    "weiterlesen",
    "zobacz także",
    "czytaj też",
    "čtěte také",
    "läs också",
    "les også",
    "læs også",
    "lue myös",
    "читайте также",
    "смотрите также",
    "читайте ещё",
    "читайте також",
    "прочетете още",
    "διαβάστε επίσης",
    "相关阅读",
    "相关文章",
    "相關文章",
    "関連記事",
    "관련기사",
];

/// What lists of tags begin with.
const TAGS: &[&str] = &[
    "tags",
    "tag",
    "keywords",
    "filed under",
    "categories",
    "category",
    "schlagwörter",
    "schlagworte",
    "stichwörter",
    "stichworte",
    "kategorien",
    "kategorie",
    "etiquetas",
    "palabras clave",
    "mots-clés",
    "étiquettes",
    "catégories",
    "parole chiave",
    "tagi",
    "etiketler",
    "теги",
    "метки",
    "ключевые слова",
    "标签",
    "標籤",
    "タグ",
];

/// Whether a block is a list of tags: it says so, and is no sentence.
pub(super) fn lists_tags(text: &str) -> bool {
    let text = text.trim();
    let folded = text.to_lowercase();
    let rest = TAGS.iter().filter_map(|label| folded.strip_prefix(label)).min_by_key(|rest| rest.len());
    rest.is_some_and(|rest| {
        let is_label = rest.starts_with(char::is_whitespace) || rest.starts_with([':', '：']);
        is_label && rest.contains([',', '，', '、']) && !text.ends_with(['.', '!', '?', '。'])
    })
}

/// Headings of what readers wrote.
const COMMENT_HEADINGS: &[&str] = &[
    "comments",
    "comment",
    "reader comments",
    "leave a comment",
    "leave a reply",
    "post a comment",
    "add a comment",
    "responses",
    "discussion",
    "kommentare",
    "kommentar",
    "schreibe einen kommentar",
    "leserkommentare",
    "commentaires",
    "laisser un commentaire",
    "comentarios",
    "comentários",
    "deja un comentario",
    "deja una respuesta",
    "deixe um comentário",
    "commenti",
    "lascia un commento",
    "komentarze",
    "komentáře",
    "kommentarer",
    "reacties",
    "yorumlar",
    "комментарии",
    "отзывы",
    "коментари",
    "коментарі",
    "σχόλια",
    "评论",
    "評論",
    "コメント",
    "댓글",
];

/// Whether a line is the heading of what readers wrote; how many there are may stand beside it.
pub(super) fn heads_comments(text: &str) -> bool {
    let plain: String = text.to_lowercase().chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    COMMENT_HEADINGS.contains(&plain.as_str())
}

/// Whether a short line leads to something else than the content.
pub(super) fn leads_away(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    LEADS_AWAY.iter().any(|start| text.starts_with(start) && !text[start.len()..].starts_with(char::is_alphanumeric))
}
