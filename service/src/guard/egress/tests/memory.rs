//! Load, and what it takes of memory: a gigabyte in one tunnel, a thousand tunnels whose readers are slow.

#![cfg(target_os = "linux")]

use super::*;

/// What this process holds in memory, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// How many descriptors this process may have.
fn descriptors_max() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    line.split_ascii_whitespace().next().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gigabyte_through_a_tunnel_is_not_held() {
    const SIZE: usize = 1_000_000_000;
    /// Other tests of this process hold something meanwhile, too.
    const HELD_MAX: u64 = 200_000_000;
    let egress = open(EgressLimits { bytes: u64::MAX, ..EgressLimits::default() }).await;
    let site = Site::that(Does::Pours(SIZE)).await;
    let (mut caller, _) = connect(&egress, &format!("site.example:{}", site.addr.port())).await;
    caller.write("GET / HTTP/1.1\r\n\r\n").await;
    let (before, mut most, mut read) = (resident(), 0, 0);
    let mut buffer = vec![0; 64 * 1024];
    let started = Instant::now();
    while read < SIZE {
        match timeout(SOON, caller.0.read(&mut buffer)).await.expect("it goes on").unwrap() {
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
async fn a_thousand_tunnels_at_once_each_with_a_slow_reader_hold_what_their_buffers_do() {
    // Each takes four descriptors of this process.
    let tunnels = (descriptors_max().saturating_sub(300) / 4).min(1_000);
    /// Buffers of both directions and of hyper's, the sites' and callers' own (which run in this process as well), and
    /// what other tests hold meanwhile.
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
    eventually("every tunnel stands", || site.connections() == tunnels).await;
    // Each reads a little, and the rest stays where it is.
    for caller in &mut callers {
        timeout(SOON, caller.0.read_u8()).await.expect("the first byte in time").unwrap();
    }
    let held = resident().saturating_sub(before);
    println!("{tunnels} tunnels in {:?}, {} bytes in memory for each", started.elapsed(), held / tunnels as u64);
    assert!(held < EACH_MAX * tunnels as u64, "{held}");
}
