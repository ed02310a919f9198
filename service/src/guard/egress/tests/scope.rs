//! Which requests may use an exception: those of the caller's document and its subresources, and none of a foreign
//! page.

use super::*;
use crate::guard::Guard;
use crate::guard::scope::Asker;

/// Two sites on loopback, and a guard for which their names are exceptions.
struct Scene {
    inside: Site,
    also: Site,
    guard: Guard,
}

impl Scene {
    async fn set() -> Scene {
        let inside = Site::that(Does::Answers(OK)).await;
        let also = Site::that(Does::Answers(OK)).await;
        let policy = Policy {
            allow: AllowTargets::parse("inside.example,also.example,127.0.0.1").unwrap(),
            resolve: ResolveOverrides::parse("inside.example=127.0.0.1,also.example=127.0.0.1").unwrap(),
            ..Policy::default()
        };
        Scene { inside, also, guard: Guard::new(policy) }
    }

    fn open(&self) -> Egress {
        Egress::open(self.guard.clone(), EgressLimits::default(), Peers::anyone()).unwrap()
    }

    /// Opens an egress whose caller has named this URL.
    fn named(&self, url: &str) -> Egress {
        let egress = self.open();
        egress.guard().name(&self.guard.judge_url(url).unwrap());
        egress
    }

    fn inside(&self) -> String {
        self.inside.url("inside.example")
    }
}

/// A public site that these tests never dial: a page that was let through to it has foreign content.
const FOREIGN: &str = "http://93.184.216.34/";

fn foreign_was_let_through(egress: &Egress) {
    let authority = (Host::Ipv4([93, 184, 216, 34].into()), 80);
    egress.guard().passed_for_tests(&authority, false);
}

async fn get_from(egress: &Egress, url: &str, headers: &str) -> String {
    Caller::to(egress).await.ask(&format!("GET {url} HTTP/1.1\r\nHost: ignored\r\n{headers}\r\n")).await
}

fn is_blocked(answer: &str) -> bool {
    answer.contains("x-porthole-egress: blocked")
}

#[tokio::test]
async fn before_a_caller_has_named_a_document_no_exception_is_open() {
    let scene = Scene::set().await;
    let egress = scene.open();
    assert!(is_blocked(&get(&egress, &scene.inside()).await));
    assert_eq!(scene.inside.connections(), 0);
}

#[tokio::test]
async fn a_document_on_an_exception_reaches_it_and_other_exceptions() {
    let scene = Scene::set().await;
    let egress = scene.named(&scene.inside());
    assert_eq!(get(&egress, &scene.inside()).await, OK);
    assert_eq!(get(&egress, &scene.also.url("also.example")).await, OK);
    assert!(
        connect(&egress, &format!("inside.example:{}", scene.inside.addr.port())).await.1.starts_with("HTTP/1.1 200")
    );
}

#[tokio::test]
async fn a_page_that_has_been_elsewhere_is_told_why_an_exception_is_closed_to_it() {
    let scene = Scene::set().await;
    let egress = scene.named(FOREIGN);
    egress.guard().navigates("first", FOREIGN);
    foreign_was_let_through(&egress);
    let refusal = egress.guard().judge(&scene.inside(), &Asker::default()).await.unwrap_err();
    assert_eq!(refusal.label(), "loopback");
    let told = refusal.to_string();
    assert!(told.starts_with("inside.example resolves to ") && told.contains("a new request or session"), "{told}");
}

#[tokio::test]
async fn a_foreign_page_reaches_no_exception_by_any_request() {
    let scene = Scene::set().await;
    let egress = scene.named(FOREIGN);
    egress.guard().navigates("first", FOREIGN);
    foreign_was_let_through(&egress);
    for headers in [
        "",
        "Origin: http://93.184.216.34\r\n",
        "Referer: http://93.184.216.34/\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: none\r\n",
    ] {
        assert!(is_blocked(&get_from(&egress, &scene.inside(), headers).await), "{headers}");
        let post = format!("POST {} HTTP/1.1\r\n{headers}Content-Length: 2\r\n\r\nhi", scene.inside());
        assert!(is_blocked(&Caller::to(&egress).await.ask(&post).await), "{headers}");
    }
    for authority in ["inside.example", "127.0.0.1"] {
        assert!(is_blocked(&connect(&egress, &format!("{authority}:{}", scene.inside.addr.port())).await.1));
    }
    // The page navigates there by itself: the caller has not named this URL.
    egress.guard().navigates("second", &scene.inside());
    assert!(is_blocked(&get(&egress, &scene.inside()).await));
    assert_eq!(scene.inside.connections(), 0);
    assert_eq!(egress.report().blocked.get("loopback"), Some(&15));
}

#[tokio::test]
async fn a_redirect_of_the_callers_document_may_lead_to_an_exception() {
    let scene = Scene::set().await;
    let egress = scene.named(FOREIGN);
    egress.guard().navigates("first", FOREIGN);
    foreign_was_let_through(&egress);
    egress.guard().navigates("first", &scene.inside());
    assert_eq!(get(&egress, &scene.inside()).await, OK);
    // Requests of the document that the redirect leads to come from an exception.
    assert_eq!(get(&egress, &scene.also.url("also.example")).await, OK);
    // A further redirect to a foreign site makes the document foreign again.
    egress.guard().navigates("first", FOREIGN);
    assert!(is_blocked(&get(&egress, &scene.inside()).await));
}

#[tokio::test]
async fn redirects_that_the_browser_does_not_report_are_followed_until_the_document_comes() {
    let scene = Scene::set().await;
    let redirect = |to: &str| {
        let response = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
        Site::that(Does::Answers(Box::leak(response.into_boxed_str())))
    };
    let last = redirect(&format!("{}#part", scene.inside())).await;
    let first = redirect(&last.url("also.example")).await;
    for (document, leads) in
        [(first.url("also.example"), true), (last.url("also.example"), true), (FOREIGN.to_owned(), false)]
    {
        let egress = scene.named(&document);
        egress.guard().navigates("first", &document);
        foreign_was_let_through(&egress);
        for hop in [&first, &last] {
            egress.guard().passed_for_tests(&(Host::Domain("also.example".to_owned()), hop.addr.port()), false);
            let _ = get_from(&egress, &hop.url("also.example"), "Referer: http://inside.example/\r\n").await;
        }
        assert_eq!(!is_blocked(&get(&egress, &scene.inside()).await), leads, "{document}");
        // The document came from the foreign site, and later redirects are not the caller's.
        egress.guard().navigates("first", FOREIGN);
        assert!(is_blocked(&get(&egress, &scene.inside()).await), "{document}");
    }
}

#[tokio::test]
async fn among_foreign_frames_only_a_request_that_names_an_excepted_asker_passes() {
    let scene = Scene::set().await;
    let egress = scene.named(&scene.inside());
    egress.guard().navigates("first", &scene.inside());
    foreign_was_let_through(&egress);
    // A foreign script or font is part of the document itself.
    assert_eq!(get(&egress, &scene.inside()).await, OK);
    egress.guard().navigates("of a frame", FOREIGN);
    assert!(is_blocked(&get(&egress, &scene.inside()).await));
    for headers in [format!("Referer: {}\r\n", scene.inside()), "Origin: http://inside.example\r\n".to_owned()] {
        assert_eq!(get_from(&egress, &scene.inside(), &headers).await, OK, "{headers}");
    }
    let both = format!("Origin: http://93.184.216.34\r\nReferer: {}\r\n", scene.inside());
    assert!(is_blocked(&get_from(&egress, &scene.inside(), &both).await));
}

#[tokio::test]
async fn a_kept_connection_is_not_lent_to_a_foreign_asker() {
    let scene = Scene::set().await;
    let egress = scene.named(&scene.inside());
    let mut caller = Caller::to(&egress).await;
    let request = |headers: &str| format!("GET {} HTTP/1.1\r\nHost: ignored\r\n{headers}\r\n", scene.inside());
    assert_eq!(caller.ask(&request("")).await, OK);
    foreign_was_let_through(&egress);
    egress.guard().navigates("first", FOREIGN);
    assert!(is_blocked(&caller.ask(&request("")).await));
    assert_eq!(caller.ask(&request(&format!("Referer: {}\r\n", scene.inside()))).await, OK);
}

#[tokio::test]
async fn frames_that_cannot_be_followed_count_as_foreign() {
    let scene = Scene::set().await;
    let egress = scene.named(&scene.inside());
    egress.guard().navigates("first", &scene.inside());
    egress.guard().has_unknown_document();
    assert_eq!(get(&egress, &scene.inside()).await, OK, "nothing foreign was ever let through");
    foreign_was_let_through(&egress);
    assert!(is_blocked(&get(&egress, &scene.inside()).await));
}

#[tokio::test]
async fn the_operator_may_open_exceptions_to_every_page() {
    let scene = Scene::set().await;
    let policy = Policy {
        allow: AllowTargets::parse("inside.example").unwrap(),
        allow_from: AllowFrom::Any,
        resolve: ResolveOverrides::parse("inside.example=127.0.0.1").unwrap(),
        ..Policy::default()
    };
    let egress = Egress::open(Guard::new(policy), EgressLimits::default(), Peers::anyone()).unwrap();
    foreign_was_let_through(&egress);
    assert_eq!(get(&egress, &scene.inside()).await, OK);
}

#[tokio::test]
async fn nothing_is_sent_through_an_exceptions_tunnel_once_there_is_a_foreign_document() {
    let scene = Scene::set().await;
    let inside = format!("inside.example:{}", scene.inside.addr.port());
    let tunnel = async |egress: &Egress| {
        let (caller, answer) = connect(egress, &inside).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        caller
    };
    let asks = "GET / HTTP/1.1\r\nHost: ignored\r\n\r\n";
    let named = || {
        let egress = scene.named(&scene.inside());
        egress.guard().navigates("first", &scene.inside());
        egress
    };
    let is_over = async |mut lent: Caller, egress: &Egress| {
        let before = scene.inside.received().len();
        lent.write(asks).await;
        assert!(lent.read_to_end().await.is_empty());
        assert_eq!(scene.inside.received().len(), before);
        assert!(is_blocked(&connect(egress, &inside).await.1));
    };

    // The browser tells of the document.
    let egress = named();
    let mut lent = tunnel(&egress).await;
    foreign_was_let_through(&egress);
    egress.guard().navigates("of a frame", &scene.also.url("also.example"));
    assert_eq!(lent.ask(asks).await, OK);
    egress.guard().navigates("of another", FOREIGN);
    is_over(lent, &egress).await;

    // It has told of it by the time that the connection for the document is asked for.
    let egress = named();
    let guard = egress.guard().clone();
    egress.guard().learns_by(Box::new(move |_| {
        guard.navigates("of a frame", FOREIGN);
        Box::pin(async { true })
    }));
    let lent = tunnel(&egress).await;
    egress.guard().judge(FOREIGN, &Asker::default()).await.unwrap();
    is_over(lent, &egress).await;

    // It can't tell, in time or at all.
    let egress = named();
    egress.guard().learns_by(Box::new(|_| Box::pin(async { false })));
    let lent = tunnel(&egress).await;
    egress.guard().judge(FOREIGN, &Asker::default()).await.unwrap();
    is_over(lent, &egress).await;
    let egress = named();
    let mut lent = tunnel(&egress).await;
    egress.guard().has_unknown_document();
    assert_eq!(lent.ask(asks).await, OK, "nothing foreign was ever let through");
    egress.guard().judge(FOREIGN, &Asker::default()).await.unwrap();
    is_over(lent, &egress).await;

    // It came by a connection that was there, and the browser tells of it as bytes are to be sent.
    let egress = named();
    let guard = egress.guard().clone();
    egress.guard().learns_by(Box::new(move |renderer| {
        assert!(renderer);
        guard.navigates("of a frame", FOREIGN);
        Box::pin(async { true })
    }));
    let mut lent = tunnel(&egress).await;
    assert_eq!(lent.ask(asks).await, OK, "beside no foreign content no event matters");
    foreign_was_let_through(&egress);
    is_over(lent, &egress).await;

    // The caller's document is redirected to the exception: the browser tells of that later.
    let redirect = format!("HTTP/1.1 302 Found\r\nLocation: https://{inside}/\r\nContent-Length: 0\r\n\r\n");
    let redirects = Site::that(Does::Answers(Box::leak(redirect.into_boxed_str()))).await;
    let document = redirects.url("also.example");
    let egress = scene.named(&document);
    egress.guard().navigates("first", &document);
    egress.guard().passed_for_tests(&(domain("also.example"), redirects.addr.port()), false);
    let _ = get_from(&egress, &document, "Referer: http://inside.example/\r\n").await;
    assert_eq!(tunnel(&egress).await.ask(asks).await, OK);
}
