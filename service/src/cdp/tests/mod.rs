//! The driver against a scripted browser, over both of its transports.

mod pipe;
mod scripted;
mod websocket;
