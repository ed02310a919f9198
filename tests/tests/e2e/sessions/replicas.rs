//! Three services and two workers: a session's calls reach the service that has it, through either worker.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;
use nix::sys::signal::Signal;
use porthole_tests::caller::{Answer, Caller, http_client};
use porthole_tests::eventually::so;
use porthole_tests::stack::{Home, Server};
use porthole_tests::{LiveViewer, Site, eventually, owner};
use serde_json::{Value, json};

const SERVICE_KEY: &str = "service-key-of-the-end-to-end-tests-0002";
const READY_WITHIN: Duration = Duration::from_secs(60);
const REPLICA_HEADER: &str = "x-porthole-replica";

/// Several services, and workers that know all of them.
struct Fleet {
    services: Vec<Server>,
    workers: Vec<Server>,
    site: Site,
    homes: Vec<Home>,
}

impl Fleet {
    async fn start(services: usize, workers: usize) -> Self {
        let site = Site::start();
        let mut fleet = Self { services: Vec::new(), workers: Vec::new(), site, homes: Vec::new() };
        for number in 0..services {
            let mut settings = fleet.settings();
            for (name, value) in [
                ("PORTHOLE_OWNER_KEYS", owner::FIRST.setting()),
                ("PORTHOLE_INSTANCE", format!("replica-{number}")),
                ("PORTHOLE_ALLOW_TARGETS", fleet.site.allow_targets()),
                // One browser each, without spare pages: the machine is small.
                ("PORTHOLE_FRAMES", "off".to_owned()),
                ("PORTHOLE_WARM_PAGES", "0".to_owned()),
            ] {
                settings.insert(name.to_owned(), value);
            }
            fleet.services.push(Server::start("porthole-service", &settings).await);
        }
        let urls: Vec<String> = fleet.services.iter().map(|service| service.url("")).collect();
        for _ in 0..workers {
            fleet.add_worker("PORTHOLE_SERVICE_URL", &urls.join(",")).await;
        }
        fleet
    }

    async fn add_worker(&mut self, variable: &str, replicas: &str) {
        let mut settings = self.settings();
        settings.insert(variable.to_owned(), replicas.to_owned());
        settings.insert("PORTHOLE_RATE_LIMIT".to_owned(), "100000".to_owned());
        let worker = Server::start("porthole-worker", &settings).await;
        self.workers.push(worker);
        let caller = self.caller(self.workers.len() - 1);
        let ready = self.workers[self.workers.len() - 1].admin_url("/readyz");
        eventually(READY_WITHIN, async || {
            let answer = caller.send(caller.http.get(&ready)).await;
            so(answer.status == StatusCode::OK, format!("not ready: {answer:?}"))
        })
        .await;
    }

    fn settings(&mut self) -> porthole_tests::process::Environment {
        let home = Home::new();
        let mut settings = home.environment();
        self.homes.push(home);
        for name in [
            "PORTHOLE_SERVICE_ADDR",
            "PORTHOLE_SERVICE_ADMIN_ADDR",
            "PORTHOLE_WORKER_ADDR",
            "PORTHOLE_WORKER_ADMIN_ADDR",
        ] {
            settings.insert(name.to_owned(), "127.0.0.1:0".to_owned());
        }
        settings.insert("PORTHOLE_SERVICE_KEY".to_owned(), SERVICE_KEY.to_owned());
        settings
    }

    fn caller(&self, worker: usize) -> Caller {
        Caller::of(self.workers[worker].url("/api/sandbox"))
    }

    /// The replica's name, as the service tells its worker.
    async fn replica(&self, service: usize) -> String {
        let http = http_client();
        let mut names = Vec::new();
        for path in ["/healthz", "/readyz"] {
            let request = http.get(self.services[service].url(path)).bearer_auth(SERVICE_KEY);
            names.push(self.caller(0).send(request).await.header(REPLICA_HEADER).to_owned());
        }
        assert_eq!(names[0], names[1]);
        names.remove(0)
    }
}

#[track_caller]
fn ok(answer: &Answer) -> Value {
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    answer.json()
}

async fn status(caller: &Caller, session: &str) -> Answer {
    caller.post("/session/status", json!({"session": session})).await
}

#[tokio::test]
async fn a_killed_service_loses_its_sessions_and_the_others_live() {
    let mut fleet = Fleet::start(3, 2).await;
    let url = fleet.site.html("<title>stays</title><h1>stays</h1>");
    let callers = [fleet.caller(0), fleet.caller(1)];
    // The sessions by their replica. Each worker spreads those that it makes.
    let mut sessions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for n in 0..6 {
        let answer = ok(&callers[n % 2].post("/session/navigate", json!({"url": url})).await);
        let session = answer["session"].as_str().unwrap().to_owned();
        assert_eq!((&answer["url"], &answer["title"]), (&json!(url), &json!("stays")));
        sessions.entry(session[4..12].to_owned()).or_default().push(session);
    }
    let mut replicas = Vec::new();
    for service in 0..3 {
        replicas.push(fleet.replica(service).await);
    }
    assert_eq!(sessions.keys().collect::<Vec<_>>(), {
        replicas.sort();
        replicas.iter().collect::<Vec<_>>()
    });

    for session in sessions.values().flatten() {
        for caller in &callers {
            let answer = ok(&status(caller, session).await);
            assert_eq!((&answer["session"], &answer["url"]), (&json!(session), &json!(url)));
        }
    }

    // A viewer reaches each session through either worker, by its ticket.
    for session in sessions.values().flatten() {
        let answer = ok(&callers[0].post("/session/viewer", json!({"session": session})).await);
        let ticket = answer["ticket"].as_str().unwrap();
        for worker in &fleet.workers {
            let mut viewer = LiveViewer::with_ticket(worker.main, ticket, json!({})).await;
            assert_eq!(viewer.message("welcome").await["session"], json!(session));
            viewer.frame().await;
        }
    }
    let lost = fleet.replica(0).await;
    let (of_lost, of_others): (Vec<_>, Vec<_>) =
        sessions.iter().map(|(replica, handles)| (*replica == lost, &handles[0])).partition(|(is_lost, _)| *is_lost);
    let mut tickets = Vec::new();
    for (is_lost, session) in of_lost.into_iter().chain(of_others) {
        let answer = ok(&callers[1].post("/session/viewer", json!({"session": session})).await);
        tickets.push((is_lost, answer["ticket"].as_str().unwrap().to_owned()));
    }
    let killed = fleet.services.remove(0);
    killed.process.signal(Signal::SIGKILL);
    drop(killed);
    for (is_lost, ticket) in &tickets {
        let mut viewer = LiveViewer::with_ticket(fleet.workers[0].main, ticket, json!({})).await;
        if *is_lost {
            assert_eq!(viewer.closed().await, 4404);
        } else {
            viewer.frame().await;
        }
    }
    for (replica, handles) in &sessions {
        for session in handles {
            for caller in &callers {
                let answer = status(caller, session).await;
                if *replica == lost {
                    answer.expect_code("SESSION_LOST");
                } else {
                    assert_eq!(ok(&answer)["url"], json!(url));
                }
            }
        }
    }
    for n in 0..6 {
        ok(&callers[n % 2].post("/session/navigate", json!({"url": url})).await);
        assert_eq!(callers[n % 2].extract(json!({"url": url})).await.content(), "stays");
    }
    // A worker that never knew the dead replica: any other one tells that its handle is genuine.
    let others: Vec<String> = fleet.services.iter().map(|service| service.url("")).collect();
    fleet.add_worker("PORTHOLE_SERVICE_URL", &others.join(",")).await;
    let late = fleet.caller(2);
    status(&late, &sessions[&lost][0]).await.expect_code("SESSION_LOST");
}

#[tokio::test]
async fn a_handle_that_was_tampered_with_leads_nowhere() {
    let fleet = Fleet::start(2, 1).await;
    let url = fleet.site.html("<title>mine</title>");
    let caller = fleet.caller(0);
    let session = ok(&caller.post("/session/navigate", json!({"url": url})).await)["session"].clone();
    let session = session.as_str().unwrap();
    let (head, tail) = session.split_at(12);
    let other = if tail.starts_with('A') { "B" } else { "A" };
    for tampered in [
        format!("{head}{other}{}", &tail[1..]),
        format!("ses_AAAAAAAA{tail}"),
        format!("{session}A"),
        session[..session.len() - 1].to_owned(),
        "ses_127.0.0.1:80".to_owned(),
        String::new(),
    ] {
        status(&caller, &tampered).await.expect_code("SESSION_NOT_FOUND");
    }
    let mut stranger = fleet.caller(0).owning("sb-of-a-stranger", &owner::FIRST);
    status(&stranger, session).await.expect_code("SESSION_NOT_FOUND");
    stranger.sandbox_id = caller.sandbox_id.clone();
    status(&stranger, session).await.expect_code("UNAUTHORIZED");
    assert_eq!(ok(&status(&caller, session).await)["url"], json!(url));
}

#[tokio::test]
async fn a_worker_finds_its_service_behind_a_name() {
    let mut fleet = Fleet::start(1, 0).await;
    let peers = format!("localhost:{}", fleet.services[0].main.port());
    fleet.add_worker("PORTHOLE_SERVICE_PEERS", &peers).await;
    let url = fleet.site.html("<title>found</title>");
    let caller = fleet.caller(0);
    let answer = ok(&caller.post("/session/navigate", json!({"url": url})).await);
    let session = answer["session"].as_str().unwrap();
    assert_eq!(ok(&status(&caller, session).await)["title"], "found");
    assert_eq!(ok(&caller.post("/session/close", json!({"session": session})).await)["closed"], true);
    status(&caller, session).await.expect_code("SESSION_NOT_FOUND");
}
