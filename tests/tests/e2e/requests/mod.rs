//! Requests: what is asked wrongly is refused by its code, in words, and whoever asks is who they say.

mod bodies;
mod documents;
mod protocol;
mod targets;
mod tokens;
