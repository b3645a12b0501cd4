import BundleTesting
import Foundation
import HTTPTypes
import OfflineBundles
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A URLProtocol", .timeLimit(.minutes(5)))
struct BundleURLProtocolTests {
    @Test("loads a bundled file, for an async call, a completion handler and a delegate")
    func bundled() async throws {
        try await withLoading(["index.html": "<p>shop</p>", "a.json": "[1]"]) { app in
            let session = app.session()
            let (text, response) = try await session.text(app.url(""))
            #expect(text == "<p>shop</p>")
            #expect(response.statusCode == 200)
            #expect(response.mimeType == "text/html")
            #expect(response.textEncodingName == "utf-8")
            #expect(response.expectedContentLength == 11)
            #expect(response.url == app.url(""))

            let data = await withCheckedContinuation { continuation in
                session.dataTask(with: app.url("a.json")) { data, _, _ in continuation.resume(returning: data) }
                    .resume()
            }
            #expect(data == Data("[1]".utf8))

            let delegate = RecordingDelegate()
            let other = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            other.dataTask(with: app.url("a.json")).resume()
            let record = try await delegate.waitForEnds()
            #expect(record.responses == [200])
            #expect(record.body == Data("[1]".utf8))
            #expect(record.ends == [nil])
            #expect(app.origin.requests.isEmpty)
        }
    }

    @Test("loads what the bundle lacks from the network once, and from the cache after that")
    func cached() async throws {
        try await withLoading { app in
            app.origin.route(
                "/shop/stock",
                to: ScriptedResponse(
                    fields: [.cacheControl: "max-age=600", .contentType: "text/x"],
                    body: Array("7".utf8)
                )
            )
            let session = app.session()
            for _ in 0..<3 {
                let (text, response) = try await session.text(app.url("stock?a=1"))
                #expect(text == "7")
                #expect(response.mimeType == "text/x")
            }
            #expect(app.origin.requestedPaths == ["/shop/stock?a=1"])
        }
    }

    @Test("leaves requests alone that no bundle covers")
    func uncovered() async throws {
        try await withLoading { app in
            app.origin.route("/other", to: ScriptedResponse("other"))
            let url = try #require(URL(string: "\(app.origin.baseURL)/other"))
            let (text, response) = try await app.session().text(url)
            #expect(text == "other")
            #expect(response.value(forHTTPHeaderField: "Cache-Status") == nil)
            #expect(!BundleURLProtocol.canInit(with: URLRequest(url: app.url(""))))
        }
    }

    @Test("reaches only the sessions of its configuration, each with its own client")
    func sessions() async throws {
        try await withLoading(["a.json": "one"]) { one in
            try await withLoading(["a.json": "two"]) { two in
                let (first, second) = (one.session(), two.session())
                one.origin.route("/shop/a.json", to: ScriptedResponse("the network"))
                let texts = [
                    try await first.text(one.url("a.json")).text,
                    try await second.text(two.url("a.json")).text,
                    // Another client's URLs, and another session.
                    try await second.text(one.url("a.json")).text,
                    try await URLSession(configuration: .ephemeral).text(one.url("a.json")).text,
                ]
                #expect(texts == ["one", "two", "the network", "the network"])
            }
        }
    }

    @Test("sends parts, heads, validations and misses as the layers do")
    func semantics() async throws {
        try await withLoading(["a.json": "0123456789"]) { app in
            let session = app.session()
            let part = try await session.text(
                app.request("a.json") { $0.setValue("bytes=2-4", forHTTPHeaderField: "Range") }
            )
            #expect(part.text == "234")
            #expect(part.response.statusCode == 206)
            #expect(part.response.value(forHTTPHeaderField: "Content-Range") == "bytes 2-4/10")
            let beyond = try await session.text(
                app.request("a.json") { $0.setValue("bytes=20-", forHTTPHeaderField: "Range") }
            )
            #expect(beyond.response.statusCode == 416)
            let head = try await session.text(app.request("a.json") { $0.httpMethod = "HEAD" })
            #expect(head.text.isEmpty)
            #expect(head.response.value(forHTTPHeaderField: "Content-Length") == "10")
            let tag = try #require(head.response.value(forHTTPHeaderField: "Etag"))
            let known = try await session.text(
                app.request("a.json") { $0.setValue(tag, forHTTPHeaderField: "If-None-Match") }
            )
            #expect(known.response.statusCode == 304)
            #expect(known.text.isEmpty)
            #expect(try await session.text(app.url("nothing")).response.statusCode == 404)
        }
    }

    @Test("loads a scheme of the app's own: each bundle has its name for a host")
    func scheme() async throws {
        try await withLoading(["index.html": "home", "a/b.json": "[2]"]) { app in
            app.origin.route("/shop/stock", to: ScriptedResponse("7"))
            var options = LoadingOptions()
            options.scheme = "app"
            let session = app.session(options)
            for (url, expected) in [
                ("app://shop/", "home"), ("app://shop/a/b.json?x", "[2]"), ("app://shop/stock", "7"),
            ] {
                let (text, response) = try await session.text(try #require(URL(string: url)))
                #expect(text == expected)
                #expect(response.url?.absoluteString == url)
            }
            let other = try #require(URL(string: "app://nothing/"))
            #expect(try await session.text(other).response.statusCode == 404)
        }
    }

    @Test("keeps its client until that is closed")
    func closed() async throws {
        try await withTemporaryDirectory { folder in
            try await withOriginServer { origin in
                origin.route("/shop/a.json", to: ScriptedResponse("network"))
                let configuration = URLSessionConfiguration.ephemeral
                weak var client: BundleClient?
                do {
                    let made = try BundleClient(at: folder.path(of: "store"), transport: nil)
                    let app = LoadingFixture(client: made, origin: origin, folder: "")
                    try app.install("1.0.0", ["a.json": "bundle"])
                    BundleURLProtocol.install(made, in: configuration)
                    client = made
                }
                let session = URLSession(configuration: configuration)
                let url = try #require(URL(string: "\(origin.baseURL)/shop/a.json"))
                #expect(try await session.text(url).text == "bundle")
                client?.close()
                #expect(try await session.text(url).text == "network")
            }
        }
    }

    @Test("leaves requests to the session that the client isn't to load, and redirects to them")
    func filter() async throws {
        try await withLoading(["a.json": "bundle", "b.json": "bundle"]) { app in
            app.origin.route("/shop/b.json", to: ScriptedResponse("network"))
            app.origin.route("/shop/c", to: ScriptedResponse(status: .found, fields: [.location: "b.json"]))
            var options = LoadingOptions()
            options.takes = { $0.url?.lastPathComponent != "b.json" }
            for (path, expected) in [("a.json", "bundle"), ("b.json", "network"), ("c", "network")] {
                let text = try await app.session(options).text(app.url(path)).text
                #expect(text == expected)
            }
        }
    }

    @Test("is used by URLSession.shared when it is registered before that is used")
    func shared() async throws {
        await #expect(processExitsWith: .success) {
            try await withLoading { app in
                BundleURLProtocol.register(app.client)
                let (text, _) = try await URLSession.shared.text(app.url(""))
                guard text == "<p>shop</p>" else { exit(1) }
                BundleURLProtocol.unregister(app.client)
                app.origin.route("/shop/", to: ScriptedResponse("network"))
                guard try await URLSession.shared.text(app.url("")).text == "network" else { exit(2) }
            }
        }
    }
}
