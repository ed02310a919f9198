//! Fonts: the world's scripts and emoji are drawn with glyphs, not with placeholder boxes.

use porthole_tests::Stack;
use serde_json::json;

#[tokio::test]
async fn every_script_is_drawn_with_its_own_letters() {
    let stack = Stack::shared().await;
    // Every missing glyph is drawn as the same box: two letters that look alike are boxes.
    let letters = ["漢", "字", "あ", "ツ", "한", "글", "😀", "🚢"];
    let boxes: String = letters
        .iter()
        .enumerate()
        .map(|(n, letter)| format!("<div style='left:{}px'>{letter}</div>", n * 100))
        .collect();
    let url = stack.site.html(&format!(
        "<meta charset=utf-8><style>body{{margin:0;background:#fff}}
        div{{position:absolute;top:0;width:100px;height:100px;font-size:64px;line-height:100px;text-align:center;overflow:hidden}}
        </style>{boxes}",
    ));
    let answer = stack.screenshot(json!({"url": url, "viewport": {"width": 800, "height": 100}})).await;
    let picture = answer.picture();
    let drawn: Vec<Vec<[u8; 3]>> = (0..8).map(|n| picture.part(n * 100, 0, 100, 100)).collect();
    for (n, one) in drawn.iter().enumerate() {
        assert!(one.iter().any(|pixel| *pixel != [255; 3]), "{} is not drawn at all", letters[n]);
        for (m, other) in drawn.iter().enumerate().skip(n + 1) {
            assert_ne!(one, other, "{} and {} look the same", letters[n], letters[m]);
        }
    }
    for n in [6, 7] {
        let coloured = drawn[n].iter().any(|[r, g, b]| r.abs_diff(*g).max(g.abs_diff(*b)) > 60);
        assert!(coloured, "{} has no colour", letters[n]);
    }
    let text = stack.extract(json!({"url": url})).await.content();
    for letter in letters {
        assert!(text.contains(letter), "{letter} is not in {text:?}");
    }
}

#[tokio::test]
async fn fonts_of_the_page_are_there_when_the_picture_is_taken() {
    let stack = Stack::shared().await;
    // The font fails to load: the text is drawn in the fallback font, and the picture is never blank.
    let font = stack.site.page(porthole_tests::Reply::text("no font").status(404));
    let url = stack.site.html(&format!(
        "<style>@font-face{{font-family:web;src:url('{font}')}}body{{font:80px web,sans-serif}}</style>Letters",
    ));
    assert!(!stack.screenshot(json!({"url": url})).await.picture().is_blank());
}
