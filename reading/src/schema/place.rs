//! A place inside a JSON value, formatted as a JSON Pointer (RFC 6901) only when it is reported.

/// Longest reported pointer, in characters.
const PLACE_MAX_CHARS: usize = 200;

/// A place as a linked list of steps, innermost first. It lives on the stack of the code that walks a value.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// The whole value.
    Root,
    /// A property of an object.
    Name(&'a Place<'a>, &'a str),
    /// An entry of an array.
    Entry(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    pub(super) fn name(&'a self, name: &'a str) -> Self {
        Self::Name(self, name)
    }

    pub(super) fn entry(&'a self, at: usize) -> Self {
        Self::Entry(self, at)
    }

    /// Returns the pointer; `/` for the whole value. Long pointers are cut.
    pub(super) fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut at = self;
        loop {
            match at {
                Self::Root => break,
                Self::Name(above, name) => {
                    let name: String = name.chars().take(PLACE_MAX_CHARS).collect();
                    steps.push(name.replace('~', "~0").replace('/', "~1"));
                    at = above;
                }
                Self::Entry(above, entry) => {
                    steps.push(entry.to_string());
                    at = above;
                }
            }
        }
        steps.reverse();
        format!("/{}", steps.join("/")).chars().take(PLACE_MAX_CHARS).collect()
    }
}
