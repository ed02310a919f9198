//! Every known way out of a page, as a page that takes it.
//!
//! Placeholders in the pages: `TARGET` is the URL that must not be reached, `SOCKET` the same for WebSockets, `SECURE`
//! for `https`, `AUTHORITY` its host and port, `BACKSLASHES` the same URL written as a Windows share, and `BESIDE` the
//! URL of another file of the page's own site.

/// A way out of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// A short name, unique among the ways.
    pub(crate) name: &'static str,
    /// The page's body, after its public part.
    pub(crate) body: &'static str,
    /// The page's headers.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// Another file of the page's site: its content type and its content.
    pub(crate) beside: Option<(&'static str, &'static str)>,
    /// What requests the target.
    pub(crate) asks: Asks,
    /// Whether the browser follows redirects of this request.
    pub(crate) redirected: bool,
    /// Whether the way exists only for pages of a trustworthy origin: TLS, or loopback.
    pub(crate) trusted_only: bool,
    /// Whether the request shows its page's mark at the target; in TLS and UDP it does not.
    pub(crate) marked: bool,
    /// Whether the way takes real time, beside the page's virtual time.
    pub(crate) slow: bool,
    /// Whether every Chromium sends the request before the page ends.
    pub(crate) certain: bool,
}

/// What requests the target, if no defence prevents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// The page, for a subresource. The page is shown without it.
    Page,
    /// The page, for a subresource of its own site only.
    OwnSite,
    /// A frame.
    Frame,
    /// The page itself navigates there.
    WholePage,
    /// The page, perhaps: not at all if it ends before, or several times.
    Perhaps,
    /// Nothing: the browser never takes this way, for this reason.
    Never(&'static str),
}

impl Way {
    const fn of(name: &'static str, body: &'static str) -> Way {
        Way {
            name,
            body,
            headers: &[],
            beside: None,
            asks: Asks::Page,
            redirected: true,
            trusted_only: false,
            marked: true,
            slow: false,
            certain: true,
        }
    }

    const fn with_headers(self, headers: &'static [(&'static str, &'static str)]) -> Way {
        Way { headers, ..self }
    }

    const fn beside(self, kind: &'static str, holds: &'static str) -> Way {
        Way { beside: Some((kind, holds)), ..self }
    }

    const fn asked_by(self, asks: Asks) -> Way {
        Way { asks, ..self }
    }

    const fn by_frame(self) -> Way {
        self.asked_by(Asks::Frame)
    }

    const fn by_whole_page(self) -> Way {
        self.asked_by(Asks::WholePage)
    }

    const fn by_own_site(self) -> Way {
        self.asked_by(Asks::OwnSite)
    }

    const fn never_asked(self, why: &'static str) -> Way {
        self.asked_by(Asks::Never(why))
    }

    const fn not_redirected(self) -> Way {
        Way { redirected: false, ..self }
    }

    const fn if_trusted(self) -> Way {
        Way { trusted_only: true, ..self }
    }

    const fn unmarked(self) -> Way {
        Way { marked: false, ..self }
    }

    const fn slow(self) -> Way {
        Way { slow: true, certain: false, ..self }
    }

    const fn uncertain(self) -> Way {
        Way { certain: false, ..self }
    }
}

/// Returns the way of that name.
pub(crate) fn way(name: &str) -> &'static Way {
    WAYS.iter().find(|way| way.name == name).expect("a way of that name")
}

const SCRIPT: &str = "text/javascript";

/// All known ways.
pub(crate) const WAYS: &[Way] = &[
    // Subresources of a document.
    Way::of("image", "<img src='TARGET'>"),
    Way::of("srcset", "<picture><source srcset='TARGET 1x'><img></picture>"),
    Way::of("image-input", "<input type=image src='TARGET'>"),
    Way::of("background", "<table background='TARGET'><td>x</table>"),
    Way::of("svg-image", "<svg><image href='TARGET' width=9 height=9 /></svg>"),
    Way::of("svg-use", "<svg><use href='TARGET#x' /></svg>").by_own_site(),
    Way::of("video", "<video src='TARGET'></video>"),
    Way::of("poster", "<video poster='TARGET'></video>"),
    Way::of("audio", "<audio src='TARGET' preload=auto></audio>"),
    Way::of("track", "<video src='data:video/mp4,'><track default src='TARGET'></video>").by_own_site(),
    Way::of("script", "<script src='TARGET'></script>"),
    Way::of("module", "<script type=module>import 'TARGET'</script>"),
    Way::of("import", "<script>import('TARGET').catch(() => 0)</script>"),
    Way::of("style", "<link rel=stylesheet href='TARGET'>"),
    Way::of("style-import", "<style>@import 'TARGET';</style>"),
    Way::of("style-image", "<style>p { background: url('TARGET') }</style>"),
    Way::of("style-cursor", "<style>p { cursor: url('TARGET'), auto }</style>"),
    Way::of("style-filter", "<style>p { filter: url('TARGET#f') }</style>").by_own_site(),
    Way::of("font", "<style>@font-face { font-family: f; src: url('TARGET') } p { font-family: f }</style>"),
    Way::of("icon", "<link rel=icon href='TARGET'>").asked_by(Asks::Perhaps),
    Way::of("manifest", "<link rel=manifest href='TARGET'>").never_asked("nothing can be installed"),
    // Hints to load something before it is needed.
    Way::of("preload", "<link rel=preload as=image href='TARGET'>"),
    Way::of("preload-header", "").with_headers(&[("Link", "<TARGET>; rel=preload; as=image")]),
    Way::of("module-preload", "<link rel=modulepreload href='TARGET'>"),
    Way::of("prefetch", "<link rel=prefetch href='TARGET'>"),
    Way::of("preconnect", "<link rel=preconnect href='TARGET'><link rel=preconnect href='SECURE'>").asked_by(Asks::Perhaps).unmarked().slow(),
    Way::of("dns-prefetch", "<link rel=dns-prefetch href='TARGET'>").never_asked("only the egress resolves names").slow(),
    Way::of("prerender", "<link rel=prerender href='TARGET'>").never_asked("rel=prerender is obsolete").slow(),
    Way::of(
        "speculation-rules",
        r#"<script type=speculationrules>{"prefetch": [{"urls": ["TARGET"], "eagerness": "immediate"}],
            "prerender": [{"urls": ["TARGET"], "eagerness": "immediate"}]}</script>"#,
    ).never_asked("Chromium does not speculate behind a proxy").slow(),
    // Requests of scripts.
    Way::of("fetch", "<script>fetch('TARGET', {mode: 'no-cors'}).catch(() => 0)</script>"),
    Way::of("fetch-post", "<script>fetch('TARGET', {method: 'POST', body: 'x', mode: 'no-cors', keepalive: true}).catch(() => 0)</script>"),
    Way::of("fetch-preflight", "<script>fetch('TARGET', {method: 'PUT', body: 'x', headers: {'x-y': 'z'}}).catch(() => 0)</script>"),
    Way::of("xhr", "<script>const x = new XMLHttpRequest; x.open('GET', 'TARGET'); x.send()</script>"),
    Way::of("beacon", "<script>navigator.sendBeacon('TARGET', 'x')</script>"),
    Way::of("ping", "<a href='#here' ping='TARGET'>x</a><script>document.querySelector('a').click()</script>").uncertain(),
    Way::of("event-source", "<script>new EventSource('TARGET')</script>"),
    Way::of("socket", "<script>new WebSocket('SOCKET')</script>").not_redirected().slow(),
    Way::of("secure-socket", "<script>new WebSocket('SOCKET'.replace('ws:', 'wss:'))</script>").not_redirected().unmarked().slow(),
    Way::of("secure-image", "<img src='SECURE'>").not_redirected().unmarked(),
    Way::of("transport", "<script>try { new WebTransport('SECURE').ready.catch(() => 0) } catch {}</script>").never_asked("WebTransport does not go through a proxy").unmarked().slow(),
    Way::of(
        "peer-connection",
        "<script>const p = new RTCPeerConnection({iceServers: [{urls: ['stun:AUTHORITY', 'turn:AUTHORITY?transport=udp',
            'turn:AUTHORITY?transport=tcp'], username: 'u', credential: 'c'}]}); p.createDataChannel('x');
            p.createOffer().then(o => p.setLocalDescription(o))</script>",
    ).asked_by(Asks::Perhaps).unmarked().slow(),
    Way::of(
        "peer-candidate",
        "<script>(async () => { const a = new RTCPeerConnection, b = new RTCPeerConnection; a.createDataChannel('x');
            await a.setLocalDescription(await a.createOffer()); await b.setRemoteDescription(a.localDescription);
            await b.setLocalDescription(await b.createAnswer()); await a.setRemoteDescription(b.localDescription);
            const [host, port] = 'AUTHORITY'.replace(/[[\\]]/g, '').split(/:(?=[0-9]+$)/);
            for (const kind of ['udp', 'tcp']) await a.addIceCandidate({sdpMid: '0', candidate:
                `candidate:1 1 ${kind} 2130706431 ${host} ${port} typ host` + (kind === 'tcp' ? ' tcptype passive' : '')});
            })().catch(() => 0)</script>",
    ).asked_by(Asks::Perhaps).unmarked().slow(),
    // Workers.
    Way::of("worker", "<script>new Worker('TARGET')</script>").by_own_site(),
    Way::of("worker-fetch", "<script>new Worker('BESIDE')</script>")
        .beside(SCRIPT, "fetch('TARGET', {mode: 'no-cors'}).catch(() => 0)").slow(),
    Way::of("worker-import", "<script>new Worker('BESIDE')</script>").beside(SCRIPT, "importScripts('TARGET')").slow(),
    Way::of("worker-socket", "<script>new Worker('BESIDE')</script>").beside(SCRIPT, "new WebSocket('SOCKET')").not_redirected().slow(),
    Way::of("shared-worker", "<script>new SharedWorker('BESIDE')</script>")
        .beside(SCRIPT, "fetch('TARGET', {mode: 'no-cors'}).catch(() => 0)").slow(),
    Way::of("service-worker", "<script>navigator.serviceWorker?.register('BESIDE').catch(() => 0)</script>")
        .beside(SCRIPT, "oninstall = event => event.waitUntil(fetch('TARGET', {mode: 'no-cors'}).catch(() => 0))").if_trusted().slow(),
    Way::of("service-worker-import", "<script>navigator.serviceWorker?.register('BESIDE').catch(() => 0)</script>")
        .beside(SCRIPT, "importScripts('TARGET')").not_redirected().if_trusted().slow(),
    Way::of("worklet", "<script>CSS.paintWorklet?.addModule('TARGET').catch(() => 0)</script>").uncertain().if_trusted(),
    // Frames.
    Way::of("frame", "<iframe src='TARGET'></iframe>").by_frame(),
    Way::of("frame-backslashes", r"<iframe src='BACKSLASHES'></iframe>").by_frame(),
    Way::of("frame-document", r#"<iframe srcdoc="<img src='TARGET'>"></iframe>"#),
    Way::of("frame-data", r#"<iframe src="data:text/html,<img src='TARGET'>"></iframe>"#),
    Way::of("frame-sandboxed", "<iframe sandbox='allow-scripts' src='TARGET'></iframe>").by_frame(),
    Way::of("frame-moved", "<iframe name=f></iframe><script>setTimeout(() => frames.f.location = 'TARGET', 500)</script>").by_frame(),
    Way::of("frame-form", "<form action='TARGET' method=post target=f></form><iframe name=f></iframe><script>document.forms[0].submit()</script>").by_frame(),
    Way::of("object", "<object data='TARGET'></object>").by_frame(),
    Way::of("embed", "<embed src='TARGET'>").by_frame(),
    Way::of("frame-download", "<iframe src='TARGET?download'></iframe>").by_frame(),
    // Documents of other kinds.
    Way::of("xslt", "<iframe src='BESIDE'></iframe>").beside(
        "text/xml",
        "<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='TARGET'?><page/>",
    ).by_own_site(),
    Way::of("xslt-document", "<iframe src='BESIDE'></iframe>").beside(
        "text/xml",
        "<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='#s'?><!DOCTYPE page [<!ATTLIST xsl:stylesheet id ID #REQUIRED>]>\
         <page><xsl:stylesheet id='s' version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:template match='/'>\
         <html><xsl:copy-of select=\"document('TARGET')\"/></html></xsl:template></xsl:stylesheet></page>",
    ).by_own_site(),
    Way::of("external-entity", "<iframe src='BESIDE'></iframe>").beside(
        "text/xml",
        "<?xml version='1.0'?><!DOCTYPE page SYSTEM 'TARGET' [<!ENTITY e SYSTEM 'TARGET'><!ENTITY % p SYSTEM 'TARGET'> %p;]><page>&e;</page>",
    ).never_asked("Chromium reads no external entities"),
    Way::of("xinclude", "<iframe src='BESIDE'></iframe>").beside(
        "text/xml",
        "<?xml version='1.0'?><page xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='TARGET' parse='text'/></page>",
    ).never_asked("Chromium knows no XInclude"),
    Way::of("svg-document", "<iframe src='BESIDE'></iframe>").beside(
        "image/svg+xml",
        "<svg xmlns='http://www.w3.org/2000/svg'><image href='TARGET' width='9' height='9'/></svg>",
    ),
    Way::of("svg-as-image", "<img src='BESIDE'>").beside(
        "image/svg+xml",
        "<svg xmlns='http://www.w3.org/2000/svg'><image href='TARGET' width='9' height='9'/></svg>",
    ).never_asked("an image loads nothing"),
    Way::of("pdf", "<iframe src='BESIDE'></iframe>").beside(
        "application/pdf",
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI(TARGET)>>/AA<</WC<</S/SubmitForm/F(TARGET)>>>>>>endobj\n\
         2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n\
         trailer<</Root 1 0 R>>\n",
    ).never_asked("the browser shows no PDF"),
    // Reports.
    Way::of("csp-report", "<img src='data:image/png,x'>")
        .with_headers(&[("Content-Security-Policy", "img-src 'none'; report-uri TARGET")]).not_redirected(),
    Way::of("csp-report-to", "<img src='data:image/png,x'>").with_headers(&[
        ("Reporting-Endpoints", "e=\"TARGET\""),
        ("Content-Security-Policy", "img-src 'none'; report-to e"),
    ]).never_asked("reports are sent a minute later, and the page is gone by then"),
    Way::of("network-error-log", "").with_headers(&[
        ("Report-To", r#"{"group": "g", "max_age": 600, "endpoints": [{"url": "TARGET"}]}"#),
        ("NEL", r#"{"report_to": "g", "max_age": 600, "success_fraction": 1, "failure_fraction": 1}"#),
    ]).never_asked("browsers accept NEL over https only"),
    // Windows, downloads and other programs.
    Way::of("popup", "<script>window.open('TARGET')</script>").never_asked("no window opens"),
    Way::of("popup-opener", "<script>const w = window.open('about:blank'); try { w.location = 'TARGET' } catch {}</script>").never_asked("no window opens"),
    Way::of("new-tab", "<a target=_blank href='TARGET'>x</a><script>document.querySelector('a').click()</script>").never_asked("no window opens"),
    Way::of("download", "<a download href='TARGET'>x</a><script>document.querySelector('a').click()</script>").by_whole_page(),
    Way::of("print", "<style>@media print { p { background: url('TARGET') } }</style><script>print()</script>").never_asked("nothing is printed"),
    Way::of("external", "<iframe src='porthole-test:TARGET'></iframe><script>location = 'mailto:x@y?body=TARGET'</script>").never_asked("no other program is started"),
    // Navigations of the page itself.
    Way::of("refresh", "<meta http-equiv=refresh content='0; url=TARGET'>").by_whole_page(),
    Way::of("refresh-header", "").with_headers(&[("Refresh", "0; url=TARGET")]).by_whole_page(),
    Way::of("location", "<script>location = 'TARGET'</script>").by_whole_page(),
    Way::of("location-later", "<script>onload = () => setTimeout(() => location.replace('TARGET'), 900)</script>").by_whole_page(),
    Way::of("location-backslashes", r"<script>location = String.raw`BACKSLASHES`</script>").by_whole_page(),
    Way::of("link", "<a href='TARGET'>x</a><script>document.querySelector('a').click()</script>").by_whole_page(),
    Way::of("form", "<form action='TARGET' method=post></form><script>document.forms[0].submit()</script>").by_whole_page(),
    Way::of("open-itself", "<script>window.open('TARGET', '_self')</script>").by_whole_page(),
    Way::of("navigation-api", "<script>navigation.navigate('TARGET').finished.catch(() => 0)</script>").by_whole_page(),
];
