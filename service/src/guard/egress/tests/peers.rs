//! Who is let in.

#![cfg(target_os = "linux")]

use std::process::Stdio;

use tokio::process::{Child, Command};

use super::*;

/// Asks an egress for a page when a line comes in, from a process group of its own.
fn stranger(egress_port: u16, url: &str) -> Child {
    let script = format!(
        "read -r _; exec 3<>/dev/tcp/127.0.0.1/{egress_port} && printf 'GET {url} HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 && cat <&3"
    );
    let mut command = Command::new("bash");
    command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.process_group(0).kill_on_drop(true).spawn().unwrap()
}

async fn what_it_gets(mut child: Child) -> String {
    child.stdin.take().unwrap().write_all(b"go\n").await.unwrap();
    let output = timeout(SOON, child.wait_with_output()).await.expect("an end in time").unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn only_the_browsers_own_processes_are_served() {
    let site = Site::that(Does::Says(OK)).await;
    let nobody = stranger(1, "http://unused.example/");
    let group = nobody.id().unwrap();
    let strict = Egress::open(guard(), EgressLimits::default(), Peers::of_group(group)).unwrap();
    let foreign = stranger(strict.addr().port(), &site.url("site.example"));
    assert_eq!(what_it_gets(foreign).await, "", "another group's");
    assert!(Caller::to(&strict).await.read_to_end().await.is_empty(), "our own");
    assert_eq!((strict.report().foreign, strict.report().requests, site.connections()), (2, 0, 0));
}

#[tokio::test]
async fn a_process_of_the_group_is_served_whichever_it_is() {
    let site = Site::that(Does::Says(OK)).await;
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
    // And back to the first process, of which another was remembered meanwhile.
    assert_eq!(get(&egress, &site.url("site.example")).await, OK);
    assert_eq!(egress.report().foreign, 0);
}
