//! README.md: its Rust example is the one in the client library's docs, which is compiled with the library's tests.

use porthole_tests::markdown::text;

#[test]
fn the_example_in_rust_is_the_librarys_own() {
    let readme = text("README.md");
    let (_, example) = readme.split_once("```rust\n").expect("README has an example in Rust");
    let (example, _) = example.split_once("```").expect("the example ends");
    let library: String = text("client/src/lib.rs").lines().filter_map(|line| line.strip_prefix("//! ")).collect();
    let joined: String = example.lines().collect();
    assert!(library.contains(&joined), "{joined}\nis not in\n{library}");
}
