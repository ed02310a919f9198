//! A viewer behind a line of 1 Mbit/s and 200 ms.

use std::time::Duration;

use porthole_tests::agent::Agent;
use porthole_tests::live::{Frame, Heard, ticket};
use porthole_tests::{LiveViewer, SlowLine, Stack};
use serde_json::json;

use super::BLUE_RGB;
use super::input::click;

const BYTES_A_SECOND: u64 = 125_000;
const EACH_WAY: Duration = Duration::from_millis(100);
/// Frames that may be under way when a person clicks, and the one that the page was drawing.
const BEFORE_THE_CLICK_MAX: usize = 6;

/// Noise, which makes large pictures; a press stops it and colours the page, the next one starts it again.
const NOISE: &str =
    "<!doctype html><title>noise</title><body style='margin:0;background:#00f'><canvas width=1280 height=720 \
    style='display:block'></canvas><script>
    const context = document.querySelector('canvas').getContext('2d'), noise = new ImageData(1280, 720);
    for (let at = 0; at < noise.data.length; at += 1) noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
    let moves = true;
    function draw() {
        if (!moves) return;
        context.putImageData(noise, -Math.random() * 300, -Math.random() * 300);
        context.putImageData(noise, 900 - Math.random() * 300, -Math.random() * 300);
        setTimeout(draw, 50);
    }
    draw();
    onmousedown = () => { moves = !moves; context.clearRect(0, 0, 1280, 720); draw(); };
    </script>";

/// A viewer that checks the order of what it sees.
struct InOrder {
    viewer: LiveViewer,
    acknowledges: bool,
    seq: u64,
}

impl InOrder {
    async fn frame(&mut self) -> Frame {
        loop {
            match self.viewer.next().await {
                Heard::Frame(frame) => {
                    assert!(frame.header.seq > self.seq, "{} after {}", frame.header.seq, self.seq);
                    self.seq = frame.header.seq;
                    if self.acknowledges {
                        self.viewer.says(json!({"type": "ack", "seq": self.seq})).await;
                    }
                    return frame;
                }
                Heard::Message(_) => {}
                Heard::Closed(code) => panic!("closed with {code}"),
            }
        }
    }
}

async fn watches_over_a_slow_line(acknowledges: bool) {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(NOISE)).await;
    let line = SlowLine::before(stack.worker.main, BYTES_A_SECOND, EACH_WAY).await;
    let hello = json!({"max_width": 640, "max_height": 360});
    let viewer = LiveViewer::with_ticket(line.addr, &ticket(&agent, "control").await, hello).await;
    let mut viewer = InOrder { viewer, acknowledges, seq: 0 };
    let asked = viewer.frame().await;
    assert!(asked.jpeg.len() > 40_000, "{} bytes fill no line", asked.jpeg.len());
    while viewer.frame().await.coarseness() <= asked.coarseness() {}

    click(&mut viewer.viewer, 100, 100).await;
    let mut before = 0;
    while !is_blue(&viewer.frame().await) {
        before += 1;
    }
    assert!(before <= BEFORE_THE_CLICK_MAX, "{before} frames came before that of the click");

    line.set_bytes_a_second(1_000 * BYTES_A_SECOND);
    click(&mut viewer.viewer, 100, 100).await;
    while viewer.frame().await.coarseness() > asked.coarseness() {}
    agent.does("close", json!({})).await;
}

fn is_blue(frame: &Frame) -> bool {
    let picture = frame.picture();
    // A slow line gets smaller pictures.
    let (width, height) = picture.size();
    [(1, 1), (8, 8), (15, 15)]
        .into_iter()
        .map(|(across, down)| (width * across / 16, height * down / 16))
        .all(|(x, y)| picture.at(x, y).iter().zip(BLUE_RGB).all(|(seen, wanted)| seen.abs_diff(wanted) <= 24))
}

#[tokio::test]
async fn it_sees_a_click_before_long_at_a_quality_that_the_line_takes() {
    watches_over_a_slow_line(false).await;
}

#[tokio::test]
async fn so_does_one_that_acknowledges_frames() {
    watches_over_a_slow_line(true).await;
}
