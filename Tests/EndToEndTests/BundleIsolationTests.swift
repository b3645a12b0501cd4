import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

/// What one bundle attempts against another, in a real browser: Debian's Chromium, headless.
@Suite(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
struct BundleIsolationTests {
    @Test func `a bundle's service worker serves no page of another bundle, and is removed with its bundle`()
        async throws
    {
        try await withBundlectl { bundlectl, folder in
            try await bundlectl.installWorker(in: folder)
            try await bundlectl.install("shop", ["index.html": Self.page("shop")], in: folder)
            try await bundlectl.serving { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: "\(address)/evil/")
                    try await browser.wait(until: "document.title.startsWith('armed')")
                    #expect(try await browser.title == "armed", "the worker is installed")
                    #expect(try await browser.title(of: "\(address)/shop/") == "shop")
                    // The worker works, for its own bundle.
                    #expect(try await browser.title(of: "\(address)/evil/") == "worker")

                    try await bundlectl.expect(0, "remove", "evil")
                    try await Self.waitForRemoval(of: "evil", at: address)
                    #expect(try await browser.title(of: "\(address)/shop/") == "shop")
                    let own = Bundlectl.own("evil", address)
                    #expect(try await browser.opens(own, until: "document.title === '' && !await workers()"))
                    let left = try await browser.execute(
                        """
                        const workers = await navigator.serviceWorker.getRegistrations();
                        return workers.length + (await caches.keys()).length + localStorage.length + document.cookie.length;
                        """
                    )
                    #expect(left == .number(0), "what the bundle left in the browser")
                    #expect(try await browser.title(of: "\(address)/shop/") == "shop")
                }
            }
        }
    }

    @Test func `a cookie that one bundle's origin sets reaches no other bundle's origin`() async throws {
        try await withOriginServer { origin in
            origin.route("/shop/login") { _ in
                ScriptedResponse(fields: [.setCookie: "session=secret; HttpOnly; Path=/", .cacheControl: "no-store"])
            }
            for path in ["/shop/orders", "/evil/collect"] {
                origin.route(path, to: ScriptedResponse(fields: [.cacheControl: "no-store"]))
            }
            try await withBundlectl { bundlectl, folder in
                let script = "fetch('login').then(() => fetch('orders')).then(() => { document.title = 'done' })"
                try await bundlectl.install(
                    "shop",
                    ["index.html": Self.page("shop", script)],
                    origin: "\(origin.baseURL)/shop/",
                    in: folder
                )
                let attack = """
                    document.cookie = 'planted=1; path=/'; document.cookie = 'planted=2; path=/; domain=localhost';
                    fetch('collect').then(() => { document.title = 'done' })
                    """
                try await bundlectl.install(
                    "evil",
                    ["index.html": Self.page("evil", attack)],
                    origin: "\(origin.baseURL)/evil/",
                    in: folder
                )
                try await bundlectl.serving { address, _ in
                    try await withBrowser { browser in
                        for name in ["shop", "evil", "shop"] {
                            try await browser.navigate(to: "\(address)/\(name)/")
                            try await browser.wait(until: "document.title === 'done'")
                        }
                    }
                }
            }
            func cookies(at path: String) -> [String?] {
                origin.requests.filter { $0.path == path }.map { $0.headerFields[.cookie] }
            }
            #expect(cookies(at: "/shop/orders") == ["session=secret", "session=secret"])
            #expect(cookies(at: "/evil/collect") == ["planted=1"])
        }
    }

    @Test func `an object, a frame or a window at a path of several bundles is on its bundle's own host`() async throws
    {
        try await withBundlectl { bundlectl, folder in
            try await bundlectl.install("shop", ["index.html": Self.page("shop")], in: folder)
            let inner = "<!doctype html><script>parent.postMessage(location.origin, '*')</script>"
            try await bundlectl.install("evil", ["index.html": Self.page("evil"), "inner.html": inner], in: folder)
            try await bundlectl.serving { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: Bundlectl.own("shop", address))
                    for element in ["<iframe src=URL></iframe>", "<object data=URL></object>", "<embed src=URL>"] {
                        let html = element.replacingOccurrences(of: "URL", with: "'\(address)/evil/inner.html'")
                        let origin = try await browser.execute(
                            """
                            return new Promise(resolve => {
                                addEventListener('message', event => resolve(event.data), { once: true });
                                document.body.innerHTML = "\(html)";
                            });
                            """
                        )
                        #expect(origin.string.map { "\($0)/" } == Bundlectl.own("evil", address))
                    }
                }
            }
        }
    }

    @Test func `a publisher that takes over a name gets no data that browsers kept for the first`()
        async throws
    {
        try await withOriginServer { first in
            first.route("/login") { _ in
                ScriptedResponse(fields: [.setCookie: "session=secret; HttpOnly; Path=/; Max-Age=86400"])
            }
            try await withOriginServer { second in
                second.route("/orders", to: ScriptedResponse(fields: [.cacheControl: "no-store"]))
                try await withBundlectl { bundlectl, folder in
                    try await bundlectl.installWorker("shop", origin: "\(first.baseURL)/", in: folder)
                    try await bundlectl.serving { address, _ in
                        let own = Bundlectl.own("shop", address)
                        try await withBrowser { browser in
                            try await browser.navigate(to: own)
                            try await browser.wait(until: "document.title.startsWith('armed')")
                            #expect(try await browser.title(of: own) == "worker")

                            try await bundlectl.expect(0, "remove", "shop")
                            try await bundlectl.install(
                                "shop",
                                ["index.html": Self.page("second", Self.countingScript), "sw.js": Self.echoingWorker],
                                origin: "\(second.baseURL)/",
                                in: folder,
                                under: "second"
                            )
                            try await Self.wait(for: "<title>second", at: own)
                            #expect(try await browser.opens(own, until: "document.title.includes('visits')"))
                            #expect(try await browser.title == "second 1 visits")
                            #expect(try await browser.execute("return location.href").string == own)
                            let left = try await browser.execute(
                                """
                                const workers = await navigator.serviceWorker.getRegistrations();
                                return workers.length + (await caches.keys()).length;
                                """
                            )
                            #expect(left == .number(0), "what the first publisher left in the browser")

                            // The second publisher's data stays.
                            try await browser.navigate(to: own + "?again")
                            try await browser.wait(until: "document.title.includes('visits')")
                            #expect(try await browser.title == "second 2 visits")
                            let response = try await browser.execute(
                                """
                                await navigator.serviceWorker.register('sw.js');
                                const worker = (await navigator.serviceWorker.ready).active;
                                return new Promise(resolve => {
                                    navigator.serviceWorker.onmessage = event => resolve(event.data);
                                    worker.postMessage('echo');
                                });
                                """
                            )
                            #expect(response == .string("echo"), "its own worker works")
                        }
                    }
                }
                let cookies = second.requests.filter { $0.path == "/orders" }.map { $0.headerFields[.cookie] }
                #expect(cookies == [nil, "mine=1"])
                #expect(second.requests.allSatisfy { $0.headerFields[.cookie]?.contains("secret") != true })
            }
        }
    }

    @Test func `a page at a mount keeps its address and its storage when another bundle is installed`() async throws {
        try await withBundlectl { bundlectl, folder in
            let script =
                "localStorage.visits = 1 + Number(localStorage.visits || 0); document.title = localStorage.visits"
            try await bundlectl.install("shop", ["index.html": Self.page("shop", script)], in: folder)
            try await bundlectl.serving("--mount", "shop=/") { address, server in
                _ = try await server.waitForLine(containing: "shop 1: \(address)/")
                #expect(!server.output.contains("localhost"))
                try await withBrowser { browser in
                    #expect(try await browser.title(of: "\(address)/") == "1")
                    try await bundlectl.install("other", ["index.html": Self.page("other")], in: folder)
                    try await Self.wait(for: "<title>other", at: Bundlectl.own("other", address))
                    #expect(try await browser.title(of: "\(address)/") == "2")
                    #expect(try await browser.execute("return location.href").string == "\(address)/")
                    let own = try await browser.execute("return fetch('/other/').then(response => response.status)")
                    #expect(own == .number(404) || own == .number(504))
                }
            }
        }
    }

    @Test
    func `a bundle whose publisher has changed opens in another site's frame, where it can't store the cookie`()
        async throws
    {
        try await withBundlectl { bundlectl, folder in
            try await bundlectl.install("shop", ["index.html": Self.page("first")], in: folder)
            try await bundlectl.expect(0, "remove", "shop")
            let message = "parent.postMessage(location.search, '*')"
            try await bundlectl.install(
                "shop",
                ["index.html": Self.page("second", message)],
                origin: "https://second.example/",
                in: folder,
                under: "second"
            )
            let frame = """
                let count = 0;
                addEventListener('message', event => { count += 1; document.title = `${count} ${event.data}` });
                document.body.innerHTML = `<iframe src="http://shop.localhost:${location.port}/"></iframe>`;
                """
            try await bundlectl.install("frame", ["index.html": Self.page("frame", frame)], in: folder)
            try await bundlectl.serving { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: Bundlectl.own("frame", address))
                    try await browser.wait(until: "document.title !== 'frame'")
                    #expect(try await browser.title == "1 ?offline-bundles.cleared=marked")
                }
            }
        }
    }

    @Test(arguments: [["--mount", "other=/"], []])
    func `a path where a bundle was mounted no longer has a service worker`(_ options: [String]) async throws {
        try await withBundlectl { bundlectl, folder in
            try await bundlectl.installWorker("shop", scope: "./", in: folder)
            let port = try ReservedPort()
            defer { withExtendedLifetime(port) {} }
            let listening = ["--listen", "127.0.0.1:\(port.number)"]
            try await withBrowser { browser in
                let address = try await bundlectl.serving(listening + ["--mount", "shop=/x"]) { address, _ in
                    try await browser.navigate(to: "\(address)/x/")
                    try await browser.wait(until: "document.title.startsWith('armed')")
                    #expect(try await browser.title(of: "\(address)/x/") == "worker")
                    return address
                }
                try await bundlectl.expect(0, "remove", "shop")
                try await bundlectl.install("other", ["index.html": Self.page("other")], in: folder)
                try await bundlectl.serving(listening + options) { _, _ in
                    let isRetired = try await browser.opens("\(address)/x/", until: "!await workers()")
                    #expect(isRetired)
                    #expect(try await browser.title(of: "\(address)/x/") == "")
                }
            }
        }
    }

    /// Shows in the title how often the page was opened, as far as the browser keeps it, and whether any other data is
    /// kept.
    private static let countingScript = """
        localStorage.visits = 1 + Number(localStorage.visits || 0);
        fetch('orders').then(() => {
            const others = Object.keys(localStorage).filter(key => key !== 'visits').concat(
                document.cookie.split('; ').filter(pair => pair && pair !== 'mine=1'));
            document.cookie = 'mine=1; max-age=86400';
            document.title = ['second', localStorage.visits, 'visits', ...others].join(' ');
        });
        """

    private static let echoingWorker = "addEventListener('message', event => event.source.postMessage(event.data))"

    private static func page(_ title: String, _ script: String = "") -> String {
        "<!doctype html><title>\(title)</title><link rel=icon href='data:,'><body><script>\(script)</script>"
    }

    /// Waits until an address has a text, for tools.
    private static func wait(for text: String, at url: String) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try await !Curl.get(url).text.contains(text), ContinuousClock.now < deadline {}
        #expect(try await Curl.get(url).text.contains(text))
    }

    /// The server checks the store four times a second.
    private static func waitForRemoval(of name: String, at address: String) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try await Curl.get("\(address)/\(name)/").status != 404, ContinuousClock.now < deadline {}
        #expect(try await Curl.get("\(address)/\(name)/").status == 404)
    }
}

extension Bundlectl {
    /// Packs a bundle and installs it.
    fileprivate func install(
        _ name: String,
        _ files: [String: String],
        headers: String = "{}",
        origin: String? = nil,
        in folder: TemporaryDirectory,
        under place: String? = nil
    ) async throws {
        let place = place ?? name
        let origins = origin.map { #"{"url": "\#($0)", "path": "/"}"# } ?? ""
        let manifest = #"{"name": "\#(name)", "version": "1", "origins": [\#(origins)], "headers": \#(headers)}"#
        for (path, text) in files.merging(["bundle.json": manifest], uniquingKeysWith: { first, _ in first }) {
            try folder.write(Array(text.utf8), to: "\(place)/\(path)")
        }
        let archive = folder.path(of: "\(place).zip")
        try await expect(0, "pack", folder.path(of: place), archive)
        try await expect(0, "install", archive)
    }

    /// Installs a bundle that tries to serve everything on its host, and stores all that it can in the browser.
    fileprivate func installWorker(
        _ name: String = "evil",
        scope: String = "/",
        origin: String? = nil,
        in folder: TemporaryDirectory
    ) async throws {
        let page = """
            <!doctype html><title>\(name)</title><link rel=icon href="data:,"><script>
            localStorage.setItem('left', '1');
            document.cookie = 'left=1; max-age=86400';
            fetch('login').then(() => caches.open('left'))
                .then(cache => cache.put('/left', new Response('left')))
                .then(() => navigator.serviceWorker.register('sw.js', { scope: '\(scope)' }))
                .then(() => navigator.serviceWorker.ready)
                .then(() => { document.title = 'armed' }, error => { document.title = 'armed not: ' + error });
            </script>
            """
        let worker = """
            addEventListener('install', () => skipWaiting());
            addEventListener('activate', event => event.waitUntil(clients.claim()));
            addEventListener('fetch', event => {
                if (event.request.mode !== 'navigate') return;
                const page = '<!doctype html><title>worker</title><link rel=icon href="data:,">';
                event.respondWith(new Response(page, { headers: { 'Content-Type': 'text/html' } }));
            });
            """
        let headers = #"{"/sw.js": {"Service-Worker-Allowed": "/"}}"#
        try await install(name, ["index.html": page, "sw.js": worker], headers: headers, origin: origin, in: folder)
    }
}

extension Browser {
    fileprivate var title: String? {
        get async throws { try await execute("return document.title").string }
    }

    fileprivate func title(of url: String) async throws -> String? {
        try await navigate(to: url)
        return try await title
    }

    /// Opens an address until an expression holds for its page, at most three times, and returns whether it does.
    ///
    /// A worker responds first and is updated then; its page is loaded again, which may happen during a query. A browser
    /// begins no update check during another one: the first visit may overlap one that ended before the server changed.
    ///
    /// - Parameter expression: In JavaScript. `await workers()` is the number of workers that are registered: the title
    ///   alone says nothing while a page is being loaded.
    fileprivate func opens(_ url: String, until expression: String) async throws -> Bool {
        let script = """
            const workers = async () => (await navigator.serviceWorker.getRegistrations()).length;
            return \(expression);
            """
        for _ in 0..<3 {
            try await navigate(to: url)
            let deadline = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < deadline {
                if let holds = try? await execute(script), holds == .bool(true) { return true }
            }
        }
        return false
    }
}
