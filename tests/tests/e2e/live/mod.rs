//! The live view: viewers that watch a session over the worker, and act in it.

mod attacks;
mod control;
mod endings;
mod floods;
mod frames;
mod input;
mod providers;
mod sharing;
mod slow_line;
mod tabs;

use std::time::Duration;

const SOON: Duration = Duration::from_secs(20);

/// A page of one colour, that has another after a click.
const RED: &str = "<!doctype html><title>red</title><body style='margin:0;height:100vh;background:#f00' \
    onclick=\"document.body.style.background='#00f'\">";
const RED_RGB: [u8; 3] = [255, 0, 0];
const BLUE_RGB: [u8; 3] = [0, 0, 255];

/// A page that moves.
const MOVING: &str = "<!doctype html><title>moving</title><style>@keyframes m{to{transform:translateX(800px)}}\
    div{width:200px;height:200px;background:#080;animation:m 2s linear infinite}</style><div></div>";
