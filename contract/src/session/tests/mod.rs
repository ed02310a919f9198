//! Sessions' wire types, as their callers write and read them.

mod answers;
mod requests;
