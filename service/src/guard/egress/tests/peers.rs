//! Which processes an egress serves.

#![cfg(target_os = "linux")]

use std::process::Stdio;

use tokio::process::{Child, Command};

use super::*;

/// Starts a process in a group of its own. It requests a URL from an egress once it has read a line.
fn stranger(egress_port: u16, url: &str) -> Child {
    let script = format!(
        "read -r _; exec 3<>/dev/tcp/127.0.0.1/{egress_port} && printf 'GET {url} HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 && cat <&3"
    );
    let mut command = Command::new("bash");
    command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.process_group(0).kill_on_drop(true).spawn().unwrap()
}

async fn output_of(mut child: Child) -> String {
    child.stdin.take().unwrap().write_all(b"go\n").await.unwrap();
    let output = timeout(SOON, child.wait_with_output()).await.expect("an end in time").unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn only_the_browsers_own_processes_are_served() {
    let site = Site::that(Does::Answers(OK)).await;
    let idle = stranger(1, "http://unused.example/");
    let group = idle.id().unwrap();
    let strict = Egress::open(guard(), EgressLimits::default(), Peers::of_group(group)).unwrap();
    let foreign = stranger(strict.addr().port(), &site.url("site.example"));
    assert_eq!(output_of(foreign).await, "", "a process of another group");
    assert!(Caller::to(&strict).await.read_to_end().await.is_empty(), "our own process");
    assert_eq!((strict.report().foreign, strict.report().requests, site.connections()), (2, 0, 0));
}

#[tokio::test]
async fn every_process_of_the_group_is_served() {
    let site = Site::that(Does::Answers(OK)).await;
    let own = nix::unistd::getpgrp().as_raw().cast_unsigned();
    let egress = Egress::open(guard(), EgressLimits::default(), Peers::of_group(own)).unwrap();
    assert_eq!(get(&egress, &site.url("site.example")).await, OK);
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{} && printf 'GET {} HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 && cat <&3",
        egress.addr().port(),
        site.url("site.example")
    );
    let child = Command::new("bash").args(["-c", &script]).kill_on_drop(true).output();
    let output = timeout(SOON, child).await.expect("an end in time").unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().ends_with("hi"), "a child in the same group");
    // Back to the first process, after another one was remembered.
    assert_eq!(get(&egress, &site.url("site.example")).await, OK);
    assert_eq!(egress.report().foreign, 0);
}
