//! The driver against a scripted browser, over both of its transports.

mod mutated;
mod pipe;
mod scripted;
mod websocket;
