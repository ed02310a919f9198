//! Recognises lines by their words: links to other content, lists of tags, and headings of comments, in the languages
//! whose phrases we know.

/// Starts of lines that lead to other content, in lower case.
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

/// Returns whether a short line leads to other content.
pub(super) fn leads_away(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    LEADS_AWAY.iter().any(|start| text.starts_with(start) && !text[start.len()..].starts_with(char::is_alphanumeric))
}

/// Starts of lists of tags.
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

/// Returns whether a block is a list of tags: it is labelled as one and is not a sentence.
pub(super) fn lists_tags(text: &str) -> bool {
    let text = text.trim();
    let folded = text.to_lowercase();
    let rest = TAGS.iter().filter_map(|label| folded.strip_prefix(label)).min_by_key(|rest| rest.len());
    rest.is_some_and(|rest| {
        let is_label = rest.starts_with(char::is_whitespace) || rest.starts_with([':', '：']);
        is_label && rest.contains([',', '，', '、']) && !text.ends_with(['.', '!', '?', '。'])
    })
}

/// Headings of comments.
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

/// Returns whether a line is a heading of comments, with or without their number.
pub(super) fn heads_comments(text: &str) -> bool {
    let plain: String = text.to_lowercase().chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    COMMENT_HEADINGS.contains(&plain.as_str())
}
