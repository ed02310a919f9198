//! Memory under load: a gigabyte in one tunnel, a thousand tunnels with slow readers.

#![cfg(target_os = "linux")]

use super::*;

/// Returns the resident memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Returns how many descriptors this process may have.
fn descriptors_max() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    line.split_ascii_whitespace().next().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gigabyte_through_a_tunnel_is_not_kept_in_memory() {
    const SIZE: usize = 1_000_000_000;
    /// Other tests of this process use memory at the same time.
    const HELD_MAX: u64 = 200_000_000;
    let egress = open(EgressLimits { bytes: u64::MAX, ..EgressLimits::default() }).await;
    let site = Site::that(Does::Pours(SIZE)).await;
    let (mut caller, _) = connect(&egress, &format!("site.example:{}", site.addr.port())).await;
    caller.write("GET / HTTP/1.1\r\n\r\n").await;
    let (before, mut most, mut read) = (resident(), 0, 0);
    let mut buffer = vec![0; 64 * 1024];
    let started = Instant::now();
    while read < SIZE {
        match timeout(SOON, caller.0.read(&mut buffer)).await.expect("the stream goes on").unwrap() {
            0 => break,
            count => read += count,
        }
        if read % 16 == 0 {
            most = most.max(resident().saturating_sub(before));
        }
    }
    println!("{read} bytes in {:?}, {most} bytes more in memory", started.elapsed());
    assert!(read >= SIZE && most < HELD_MAX, "{read} {most}");
    assert!(egress.report().bytes >= SIZE as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tunnels_with_slow_readers_hold_no_more_than_their_buffers() {
    // Each tunnel takes four descriptors of this process.
    let tunnels = (descriptors_max().saturating_sub(300) / 4).min(1_000);
    /// Buffers of both directions, of hyper, and of the sites and callers (which run in this process too), and the
    /// memory of other tests.
    const EACH_MAX: u64 = 400_000;
    let limits = EgressLimits { connections: tunnels, bytes: u64::MAX, ..EgressLimits::default() };
    let egress = open(limits).await;
    let site = Site::that(Does::Pours(50_000_000)).await;
    let before = resident();
    let started = Instant::now();
    let mut callers = Vec::new();
    for _ in 0..tunnels {
        let (mut caller, answer) = connect(&egress, &format!("site.example:{}", site.addr.port())).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        caller.write("GET / HTTP/1.1\r\n\r\n").await;
        callers.push(caller);
    }
    eventually("every tunnel is connected", || site.connections() == tunnels).await;
    // Each reads one byte, and the rest stays in buffers.
    for caller in &mut callers {
        timeout(SOON, caller.0.read_u8()).await.expect("the first byte in time").unwrap();
    }
    let held = resident().saturating_sub(before);
    println!("{tunnels} tunnels in {:?}, {} bytes in memory for each", started.elapsed(), held / tunnels as u64);
    assert!(held < EACH_MAX * tunnels as u64, "{held}");
}
