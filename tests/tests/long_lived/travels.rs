//! Navigations of every kind, one after the other, in one page.

use chromiumoxide_cdp::cdp::browser_protocol::page::CrashParams;
use porthole_service::net_error::NetError;
use porthole_service::page::{PageError, Travel};
use porthole_tests::site::REBOUND;
use porthole_tests::{Reply, eventually};

use super::scene::{From, PATIENCE, Scene, evaluate};

/// Rounds of the ten navigations of [`round`].
const ROUNDS: usize = 6;

#[tokio::test(flavor = "multi_thread")]
async fn a_local_page_outlives_its_navigations() {
    lives_on(From::Local).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browserbase_page_outlives_its_navigations() {
    lives_on(From::Browserbase).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_page_outlives_its_navigations() {
    lives_on(From::CdpEndpoint).await;
}

async fn lives_on(from: From) {
    let mut scene = Scene::of(from).await;
    for number in 0..ROUNDS {
        round(&scene, number).await;
    }
    dialogs_are_reported(&scene).await;
    windows_are_adopted(&mut scene).await;
    empty_answers_leave_the_page(&scene).await;
    crashes_and_comes_back(&scene).await;
    round(&scene, ROUNDS).await;
    scene.ends().await;
}

async fn round(scene: &Scene, number: usize) {
    let Scene { site, page, .. } = scene;
    let first = site.html(&format!("<title>first {number}</title><p id=part>here"));
    let second = site.html(&format!("<title>second {number}</title><p>there"));
    let to_second = site.page(Reply::redirect(302, &second));
    let inner = site.under_name(&second, REBOUND);
    let to_inner = site.page(Reply::redirect(302, &inner));
    let nothing = site.page(Reply::text("").status(204));
    let download = site.page(
        Reply::of("application/octet-stream", "saved").header("content-disposition", "attachment; filename=a.bin"),
    );
    let pushes = site.html("<title>pushes</title><script>history.pushState(1, '', '?pushed')</script>");
    let leaves = site.html(&format!("<title>leaves</title><script>location = '{second}'</script>"));

    scene.goes(&first).await.unwrap();
    let arrival = scene.is_at().await;
    assert_eq!((arrival.title.as_str(), arrival.status_code), (format!("first {number}").as_str(), 200));

    scene.goes(&to_second).await.unwrap();
    let arrival = scene.is_at().await;
    assert_eq!((arrival.title, arrival.final_url), (format!("second {number}"), second.clone()));

    // A redirect to a blocked target: this navigation fails, and the page can navigate again.
    let refused = scene.goes(&to_inner).await.unwrap_err();
    assert!(matches!(refused, PageError::Blocked(_)), "{refused:?}");
    assert!(site.seen(&inner).len() <= site.seen(&second).len());

    scene.goes(&first).await.unwrap();
    let aborted = scene.goes(&nothing).await.unwrap_err();
    assert!(matches!(&aborted, PageError::Failed(NetError::Aborted)), "{aborted:?}");
    assert_eq!(scene.title().await, format!("first {number}"), "an answer without content leaves the page as it was");
    let saved = scene.goes(&download).await.unwrap_err();
    assert!(matches!(saved, PageError::Download(_)), "{saved:?}");
    assert_eq!(scene.title().await, format!("first {number}"), "a download leaves the page as it was");

    // Navigation within the document: no new document is loaded.
    scene.goes(&format!("{first}#part")).await.unwrap();
    assert_eq!(scene.is_at().await.final_url, format!("{first}#part"));

    scene.goes(&second).await.unwrap();
    page.travel(Travel::Back).await.unwrap();
    assert_eq!(scene.title().await, format!("first {number}"));
    page.travel(Travel::Forward).await.unwrap();
    assert_eq!(scene.title().await, format!("second {number}"));
    let ended = page.travel(Travel::Forward).await.unwrap_err();
    assert!(matches!(ended, PageError::NoHistory), "{ended:?}");
    page.travel(Travel::Reload).await.unwrap();
    assert_eq!(scene.title().await, format!("second {number}"));

    scene.goes(&pushes).await.unwrap();
    assert_eq!(scene.is_at().await.final_url, format!("{pushes}?pushed"));
    page.travel(Travel::Back).await.unwrap();
    assert_eq!(scene.is_at().await.final_url, pushes, "back within the document");

    // The page navigates by itself; the next command replaces that navigation.
    scene.goes(&leaves).await.unwrap();
    scene.goes(&first).await.unwrap();
    assert_eq!(scene.title().await, format!("first {number}"), "the last navigation counts");
}

/// Goes back to, and reloads, what has become an answer without content.
async fn empty_answers_leave_the_page(scene: &Scene) {
    let fades = scene.site.page(Reply::html("<title>full</title>").header("cache-control", "no-store"));
    let next = scene.site.html("<title>next</title>");
    scene.goes(&fades).await.unwrap();
    scene.site.put(&fades, Reply::text("").status(204));
    let reloaded = scene.page.travel(Travel::Reload).await.unwrap_err();
    assert!(matches!(reloaded, PageError::Failed(NetError::Aborted)), "{reloaded:?}");
    assert_eq!(scene.title().await, "full");
    scene.goes(&next).await.unwrap();
    let back = scene.page.travel(Travel::Back).await.unwrap_err();
    assert!(matches!(back, PageError::Failed(NetError::Aborted)), "{back:?}");
    assert_eq!(scene.title().await, "next");
}

async fn crashes_and_comes_back(scene: &Scene) {
    let url = scene.site.html("<title>alive</title>");
    for _ in 0..2 {
        scene.goes(&url).await.unwrap();
        crash(scene).await;
        scene.goes(&url).await.unwrap();
        assert_eq!(scene.title().await, "alive");
    }
}

async fn crash(scene: &Scene) {
    scene.lease.page().call(&CrashParams::default()).forget();
    let crashed = eventually(PATIENCE, async || match scene.page.arrival(async {}).await.1 {
        Err(error) => Ok(error),
        Ok(arrival) => Err(format!("still at {arrival:?}")),
    });
    let crashed = crashed.await;
    assert!(matches!(crashed, PageError::Crashed(_)), "{crashed:?}");
}

async fn dialogs_are_reported(scene: &Scene) {
    let asks = scene
        .site
        .html("<title>asks</title><script>setTimeout(() => { document.title = prompt('who?', 'me') })</script>");
    scene.goes(&asks).await.unwrap();
    let dialog = scene.page.dialog_opens().await.unwrap();
    assert_eq!((dialog.kind.as_str(), dialog.message.as_str(), dialog.default.as_str()), ("prompt", "who?", "me"));
    scene.page.answer_dialog(true, Some("you".to_owned())).await.unwrap();
    assert_eq!(scene.page.dialog(), None);
    eventually(PATIENCE, async || match scene.title().await {
        title if title == "you" => Ok(()),
        title => Err(title),
    })
    .await;
    // A commanded navigation leaves the page without asking its `beforeunload` handler.
    let holds =
        scene.site.html("<title>holds</title><script>onbeforeunload = event => event.preventDefault()</script>");
    scene.goes(&holds).await.unwrap();
    evaluate(scene.lease.page(), "document.title").await;
    scene.goes(&asks).await.unwrap();
    scene.page.dialog_opens().await.unwrap();
    scene.page.answer_dialog(false, None).await.unwrap();
}

async fn windows_are_adopted(scene: &mut Scene) {
    let opener = scene.site.html("<title>opener</title>");
    let opened = scene.site.html("<title>opened</title>");
    scene.goes(&opener).await.unwrap();
    let mut windows = scene.lease.take_popups().expect("a session's windows");
    let page = scene.lease.page().clone();
    let open = format!("open('{opened}') !== null");
    let (was_opened, window) = tokio::join!(evaluate(&page, &open), async {
        let window = windows.recv().await.expect("a window");
        window.resume();
        window
    });
    assert_eq!((was_opened, window.kind.as_str()), (true.into(), "page"));
    window.close();
    assert_eq!(scene.title().await, "opener");
}
