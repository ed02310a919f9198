//! Tests of the client against a scripted browser, over both transports.

mod mutated;
mod pipe;
mod scripted;
mod websocket;
