import BundleModel
import BundleTesting
import Foundation
import HTTPTypes
import OfflineBundles
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the field's tutorials build by hand around a URLProtocol's cache.
@Suite("What tutorials build by hand: the cache", .timeLimit(.minutes(5)))
struct TutorialCacheTests {
    @Test("a page cached with its data, URL, time, media type and text encoding, and shown in flight mode")
    func flightMode() async throws {
        try await withLoading { app in
            let date = "Sun, 06 Nov 1994 08:49:37 GMT"
            let body: [UInt8] = [0xC4, 0xE3, 0xBA, 0xC3]
            let fields: HTTPFields = [
                .contentType: "text/html; charset=gb2312", .lastModified: date, .cacheControl: "max-age=0",
            ]
            app.origin.route("/shop/page", to: ScriptedResponse(fields: fields, body: body))
            let (first, online) = try await app.session().data(from: app.url("page?a=1"))
            #expect(first == Data(body))
            await app.origin.stop()
            // Also after a restart.
            let fixtures = [
                app, try await app.restarted(transport: URLSessionTransport()), try await app.restarted(transport: nil),
            ]
            for fixture in fixtures {
                let (data, response) = try await fixture.session().data(from: app.url("page?a=1"))
                let head = try #require(response as? HTTPURLResponse)
                #expect(data == Data(body))
                #expect(head.statusCode == 200)
                #expect(head.url == app.url("page?a=1"))
                #expect(head.mimeType == "text/html")
                #expect(head.textEncodingName == "gb2312")
                #expect(head.value(forHTTPHeaderField: "Last-Modified") == date)
                let sent = (online as? HTTPURLResponse)?.value(forHTTPHeaderField: "Date")
                #expect(head.value(forHTTPHeaderField: "Date") == sent)
                #expect(head.value(forHTTPHeaderField: "Cache-Status") != nil)
            }
        }
    }

    @Test(
        "a page that HTTP forbids to store or to reuse, and a redirect to it, in flight mode by a rule",
        arguments: [
            "no-cache", "no-cache, no-store, max-age=0, must-revalidate", "max-age=0, must-revalidate", "private",
        ]
    )
    func unstorable(_ cacheControl: String) async throws {
        try await withLoading { app in
            try app.setRules(#"{"match": {"path": "/page/**"}, "offline": "always", "userCookies": []}"#)
            let fields: HTTPFields = [
                .contentType: "text/html; charset=utf-8", .cacheControl: cacheControl, .vary: "*",
                .setCookie: "JSESSIONID=1; Path=/",
            ]
            app.origin.route("/shop/page/new", to: ScriptedResponse(fields: fields, body: Array("page".utf8)))
            let location = "\(app.origin.baseURL)/shop/page/new"
            app.origin.route("/shop/page/old", to: ScriptedResponse(status: .found, fields: [.location: location]))
            let session = app.session()
            for isOnline in [true, true, false] {
                if !isOnline { await app.origin.stop() }
                for path in ["page/new", "page/old"] {
                    let (text, response) = try await session.text(app.url(path))
                    #expect(text == "page" && response.statusCode == 200)
                    #expect(response.url == app.url("page/new"))
                    #expect(response.mimeType == "text/html" && response.textEncodingName == "utf-8")
                }
            }
            // Also after a restart.
            let restarted = try await app.restarted(transport: nil)
            try restarted.setRules(#"{"match": {"path": "/page/**"}, "offline": "always", "userCookies": []}"#)
            #expect(try await restarted.session().text(app.url("page/old")).text == "page")
        }
    }

    @Test(
        "a page of one user in flight mode, which another user gets only if a rule says so",
        arguments: [false, true]
    )
    func users(_ saysSo: Bool) async throws {
        try await withLoading { app in
            let member = saysSo ? #", "userCookies": []"# : ""
            try app.setRules(#"{"offline": "always"\#(member)}"#)
            app.origin.route("/shop/page") { request in
                let user = request.headerFields[.cookie] ?? ""
                return ScriptedResponse(fields: [.cacheControl: "no-store"], body: Array(user.utf8))
            }
            func request(_ user: String) -> URLRequest {
                app.request("page") { $0.setValue("session=\(user)", forHTTPHeaderField: "Cookie") }
            }
            let session = app.session()
            #expect(try await session.text(request("A")).text == "session=A")
            await app.origin.stop()
            #expect(try await session.text(request("A")).text == "session=A")
            if saysSo {
                #expect(try await session.text(request("B")).text == "session=A")
            } else {
                await #expect(throws: URLError.self) { try await session.text(request("B")) }
                _ = try await app.client.clearCache()
                await #expect(throws: URLError.self) { try await session.text(request("A")) }
            }
        }
    }

    @Test("each request handled once, however often it is copied")
    func copies() async throws {
        try await withLoading { app in
            let count = app.count("a", [.cacheControl: "no-store"])
            let configuration = app.configuration()
            // A second class for the same client, in front of the first.
            BundleURLProtocol.install(app.client, in: configuration)
            var request = app.request("a")
            for number in 0..<5 {
                let copy = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest
                copy?.setValue("\(number)", forHTTPHeaderField: "X-Copy")
                request = try #require(copy) as URLRequest
            }
            let text = try await URLSession(configuration: configuration).text(request).text
            #expect(text == "1")
            #expect(count.state == 1)
        }
    }

    @Test("bundled data, then memory, then disk, then network")
    func layers() async throws {
        try await withLoading(["a.json": "bundle"]) { app in
            app.origin.route("/shop/a.json", to: ScriptedResponse("network"))
            let count = app.count("b.json", [.cacheControl: "max-age=600"])
            let session = app.session()
            #expect(try await session.text(app.url("a.json")).text == "bundle")
            #expect(try await session.text(app.url("b.json")).text == "1")
            #expect(count.state == 1)
            let request = app.origin.request("/shop/b.json")
            // From memory without waiting.
            #expect(try await session.text(app.url("b.json")).text == "1")
            #expect(app.client.startResponse(to: request).isComplete)
            // From the disk the first time, in another process.
            let other = try await app.restarted(transport: nil)
            #expect(!other.client.startResponse(to: request).isComplete)
            #expect(try await other.session().text(app.url("b.json")).text == "1")
            #expect(other.client.startResponse(to: request).isComplete)
            #expect(count.state == 1)
            #expect(app.origin.requestedPaths == ["/shop/b.json"])
        }
    }

    @Test("redirects stored and replayed to the client")
    func redirects() async throws {
        try await withLoading { app in
            app.origin.route(
                "/shop/old",
                to: ScriptedResponse(
                    status: .movedPermanently,
                    fields: [.location: "\(app.origin.baseURL)/shop/new", .cacheControl: "max-age=600"]
                )
            )
            _ = app.count("new", [.cacheControl: "max-age=600"])
            for _ in 0..<2 {
                let delegate = RecordingDelegate()
                let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
                session.dataTask(with: app.url("old")).resume()
                let record = try await delegate.waitForEnds()
                #expect(record.redirects == ["301 /shop/new"])
                #expect(record.body == Data("1".utf8))
                await app.origin.stop()
            }
            #expect(app.origin.requestedPaths == ["/shop/old", "/shop/new"])
        }
    }

    @Test("reachability switching to the cache at once and back")
    func reachability() async throws {
        try await withLoading { app in
            let count = app.count("a", [.cacheControl: "max-age=0"])
            let session = app.session()
            var texts: [String] = []
            for isUp in [true, false, false, true] {
                app.client.link.isUp = isUp
                texts.append(try await session.text(app.url("a")).text)
            }
            #expect(texts == ["1", "1", "1", "2"])
            #expect(count.state == 2)
        }
    }

    @Test("everything of an old version purged when the server's is higher")
    func purge() async throws {
        try await withLoading([:]) { app in
            let feed = "\(app.origin.baseURL)/feed.json"
            try app.install("1.0.0", ["index.html": "one"], members: #""feed": "\#(feed)""#)
            let count = app.count("a", [.cacheControl: "max-age=600"])
            let session = app.session()
            for _ in 0..<2 { #expect(try await session.text(app.url("a")).text == "1") }
            try Self.publish("2.0.0", "two", app)
            let name = BundleName("shop")
            _ = try await app.client.update(name)
            #expect(try await session.text(app.url("")).text == "two")
            #expect(try await session.text(app.url("a")).text == "2")
            // The same version again changes nothing.
            _ = try await app.client.update(name)
            #expect(try await session.text(app.url("a")).text == "2")
            #expect(count.state == 2)
        }
    }

    @Test("how often each entry was reused")
    func reuse() async throws {
        try await withLoading { app in
            let session = app.session()
            for (path, number) in [("a", 4), ("b", 2), ("c", 1)] {
                _ = app.count(path, [.cacheControl: "max-age=600"])
                for _ in 0..<number { _ = try await session.text(app.url(path)) }
            }
            let reuses = app.client.reuses.map { "\($0.url) \($0.count)" }
            #expect(reuses == ["\(app.url("a").absoluteString) 3", "\(app.url("b").absoluteString) 1"])
        }
    }

    @Test("only certain suffixes taken")
    func suffixes() async throws {
        try await withLoading { app in
            try app.setRules(#"{"match": {"suffix": [".png", ".css"]}}, {"strategy": "network-only"}"#)
            let session = app.session()
            for (path, expected) in [("a.png", 1), ("b.css", 1), ("c.js", 2), ("d", 2)] {
                let count = app.count(path, [.cacheControl: "max-age=600"])
                for _ in 0..<2 { _ = try await session.text(app.url(path)) }
                #expect(count.state == expected, "\(path)")
            }
        }
    }

    @Test("the media type remembered for files without one")
    func mediaTypes() async throws {
        try await withLoading([:]) { app in
            let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
            let archive = Self.archive(
                "1.0.0",
                [("logo", png), ("page", Array("<!DOCTYPE html><p>a".utf8))],
                app,
                feed: nil
            )
            let file = URL(fileURLWithPath: "\(app.folder)/a.zip")
            try Data(archive).write(to: file)
            try await app.client.install(archive: file.path)
            app.origin.route(
                "/shop/avatar",
                to: ScriptedResponse(fields: [.contentType: "image/webp", .cacheControl: "max-age=600"], body: [1])
            )
            let session = app.session()
            for _ in 0..<2 {
                for (path, type) in [("logo", "image/png"), ("page", "text/html"), ("avatar", "image/webp")] {
                    #expect(try await session.text(app.url(path)).response.mimeType == type)
                }
                await app.origin.stop()
            }
        }
    }

    @Test("a stale copy shown at once and revalidated behind it")
    func stale() async throws {
        try await withLoading { app in
            let count = app.count("a", [.cacheControl: "max-age=0, stale-while-revalidate=600", .eTag: "\"a\""])
            let session = app.session()
            #expect(try await session.text(app.url("a")).text == "1")
            #expect(try await session.text(app.url("a")).text == "1")
            try await count.wait { $0 < 2 }
            // The next one is behind what was stored meanwhile.
            var text = "1"
            while text == "1" { text = try await session.text(app.url("a")).text }
            #expect(text != "1")
        }
    }

    private static func publish(_ version: String, _ text: String, _ app: LoadingFixture) throws {
        let bytes = archive(version, [("index.html", Array(text.utf8))], app, feed: "\(app.origin.baseURL)/feed.json")
        app.origin.route("/shop-\(version).zip", to: ScriptedResponse(body: bytes))
        let release =
            #"{"version": "\#(version)", "src": "\#(app.origin.baseURL)/shop-\#(version).zip", "#
            + #""size": \#(bytes.count), "sha256": "\#(Digest(of: bytes))"}"#
        let feed = #"{"name": "shop", "versions": [\#(release)]}"#
        app.origin.route("/feed.json", to: ScriptedResponse(feed, type: "application/json"))
    }

    private static func archive(
        _ version: String,
        _ files: [(String, [UInt8])],
        _ app: LoadingFixture,
        feed: String?
    ) -> [UInt8] {
        let feed = feed.map { #", "feed": "\#($0)""# } ?? ""
        let manifest =
            #"{"name": "shop", "version": "\#(version)", "#
            + #""origins": [{"url": "\#(app.origin.baseURL)/shop/", "path": "/"}]\#(feed)}"#
        let entries = files.map { ZipFixtureEntry($0.0, $0.1) }
        return ZipFixture(entries + [ZipFixtureEntry("bundle.json", Array(manifest.utf8))]).bytes
    }
}

extension ResponseStart {
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
}
