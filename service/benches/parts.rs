//! What a request's inner parts take: the guard's verdict on a URL, and the steps of the size cap's ladder.

use std::hint::black_box;
use std::io::Cursor;

use criterion::{BenchmarkId, Criterion};
use image::{Rgb, RgbImage};
use porthole_contract::ImageFormat;
use porthole_service::guard::{Guard, Policy, ResolveOverrides};
use porthole_service::operation::ladder::{Limits, fit};
use porthole_service::page::Capture;
use tokio::runtime::Runtime;

/// The quality that a picture was asked for, where it has one.
const QUALITY: u8 = 80;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    guard(&mut criterion);
    ladder(&mut criterion);
    criterion.final_summary();
}

/// DNS is not asked: `PORTHOLE_RESOLVE` answers as quickly as a name's cached answer would.
fn guard(criterion: &mut Criterion) {
    let resolve = ResolveOverrides::parse("known.example=93.184.216.34").expect("a setting as operators write it");
    let guard = Guard::new(Policy { resolve, ..Policy::default() });
    let mut group = criterion.benchmark_group("guard");
    for (case, url) in [
        ("address", "https://93.184.216.34/a/path?with=a&query=1"),
        ("name", "https://known.example/a/path?with=a&query=1"),
        ("refused address", "http://[::ffff:10.0.0.1]:8080/"),
        ("refused name", "http://metadata.google.internal/"),
    ] {
        group.bench_with_input(BenchmarkId::from_parameter(case), url, |bencher, url| {
            bencher.iter(|| guard.judge_url(black_box(url)));
        });
    }
    group.finish();
}

/// A page of 390x3000 as photographs are: brightness that changes slowly, and a little noise on it. A PNG keeps the noise,
/// which a JPEG need not.
fn page() -> RgbImage {
    let mut noise = 0x2545_F491_u32;
    RgbImage::from_fn(390, 3_000, |x, y| {
        let slope = (x + y) / 15;
        Rgb([0, 40, 80].map(|lighter| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            ((slope + lighter) % 240 + noise % 4).to_le_bytes()[0]
        }))
    })
}

fn ladder(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut png = Cursor::new(Vec::new());
    page().write_to(&mut png, image::ImageFormat::Png).expect("a PNG in memory");
    let capture = Capture { bytes: png.into_inner().into(), format: ImageFormat::Png, truncated: false };
    let fitted = |max_bytes: usize| {
        let limits = Limits { max_bytes, viewport_height_px: 844 };
        runtime.block_on(fit(capture.clone(), QUALITY, limits)).expect("a step that fits")
    };
    let (quick, tight) = (capture.bytes.len(), fitted(capture.bytes.len() - 1).bytes.len());
    let jpeg = fitted(tight - 1).bytes.len();
    let mut group = criterion.benchmark_group("ladder");
    group.sample_size(10);
    for (step, max_bytes, format, is_cut) in [
        ("as it is", quick, ImageFormat::Png, false),
        ("png again", tight, ImageFormat::Png, false),
        ("jpeg", jpeg, ImageFormat::Jpeg, false),
        ("cut", jpeg / 2, ImageFormat::Jpeg, true),
    ] {
        let picture = fitted(max_bytes);
        assert_eq!((picture.format, picture.truncated), (format, is_cut), "another step than {step}");
        group.bench_with_input(BenchmarkId::from_parameter(step), &max_bytes, |bencher, max_bytes| {
            bencher.iter(|| fitted(black_box(*max_bytes)));
        });
    }
    group.finish();
}
