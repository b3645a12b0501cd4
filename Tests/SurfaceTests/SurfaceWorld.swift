import BundleEmbedding
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes

/// An origin with a feed, and a store that holds the first version of its bundle.
struct SurfaceWorld: Sendable {
    static let name = BundleName("shop")
    static let numbers = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    let directory: TemporaryDirectory
    let origin: OriginServer

    /// The store's folder.
    var store: String { directory.path(of: "store") }

    /// The URL that a target below the bundle's origin has.
    func url(_ target: String) -> String { "\(origin.baseURL)/shop\(target)" }

    /// Starts the origin and installs version 1.
    init(in directory: TemporaryDirectory) async throws {
        self.directory = directory
        origin = OriginServer(files: OriginFiles(folder: directory.path(of: "site")))
        try await origin.start()
        routeOrigin()
        let archive = try directory.write(archive("1.0.0", Self.first), to: "shop-1.0.0.zip")
        let client = try BundleClient(at: store, transport: nil)
        try await client.install(archive: archive)
        client.close()
    }

    /// Puts version 2 into the feed.
    func publish() throws {
        let bytes = archive("1.1.0", Self.second)
        try directory.write(bytes, to: "site/releases/shop-1.1.0.zip")
        let entry =
            #"{"version": "1.1.0", "src": "shop-1.1.0.zip", "size": \#(bytes.count), "sha256": "\#(Digest(of: bytes))"}"#
        try directory.write(#"{"name": "shop", "versions": [\#(entry)]}"#, to: "site/releases/feed.json")
    }

    private func archive(_ version: String, _ files: [String: [UInt8]]) -> [UInt8] {
        let manifest = """
            {
              "name": "shop", "version": "\(version)", "feed": "\(origin.baseURL)/releases/feed.json",
              "origins": [{"url": "\(origin.baseURL)/shop/", "path": "/"}],
              "fallback": {"file": "index.html", "routes": ["/orders/**"]}, "offlinePage": "offline.html",
              "headers": {"/app.js": {"X-Bundle": "yes"}},
              "network": {"rules": \(Self.rules)}
            }
            """
        var entries = [ZipFixtureEntry("bundle.json", Array(manifest.utf8))]
        for (path, content) in files.sorted(by: { $0.key < $1.key }) { entries.append(ZipFixtureEntry(path, content)) }
        return ZipFixture(entries).bytes
    }

    private static let rules = """
        [
          {"match": {"path": "/ads/**"}, "strategy": "block"},
          {"match": {"path": "/moved/**"}, "redirect": {"status": 302, "to": "https://elsewhere.example/"}},
          {"match": {"path": "/api/v1/**"}, "rewrite": {"from": "/api/v1/**", "to": "/api/v2/**"}},
          {"match": {"path": "/api/fields"}, "requestFields": {"set": {"X-App": "shop"}},
           "responseFields": {"set": {"X-Rule": "applied"}}},
          {"match": {"path": "/api/mock"}, "mock": {"status": 418, "fields": {"X-Mock": "1"}}}
        ]
        """

    /// The rules that an app sets while it runs.
    static let appRules = """
        {"rules": [
          {"match": {"path": "/api/internal/**"}, "strategy": "block"},
          {"match": {"path": "/api/agent"}, "requestFields": {"set": {"X-Agent": "app"}}}
        ]}
        """

    /// What the origin sends in pieces.
    static let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }

    private static let common: [String: [UInt8]] = [
        "app.js": Array("console.log('shop')\n".utf8),
        "data/numbers.bin": numbers,
        "docs/index.html": Array("<!doctype html><title>Docs</title>".utf8),
        "grüße.txt": Array("hello\n".utf8),
        "offline.html": Array("<!doctype html><title>Offline</title>".utf8),
    ]
    private static let first = common.merging([
        "index.html": Array("<!doctype html><title>Shop 1</title>".utf8), "old.js": Array("old()\n".utf8),
    ]) { $1 }
    private static let second = common.merging([
        "index.html": Array("<!doctype html><title>Shop 2</title>".utf8), "new.js": Array("newer()\n".utf8),
    ]) { $1 }
}

/// What only the origin has.
extension SurfaceWorld {
    private func routeOrigin() {
        let plain: HTTPFields = [.contentType: "text/plain"]
        func fresh(_ text: String) -> ScriptedResponse {
            let fields: HTTPFields = [.contentType: "text/plain", .cacheControl: "max-age=600", .eTag: #""\#(text)""#]
            return ScriptedResponse(fields: fields, body: Array(text.utf8))
        }
        origin.route("/shop/api/stock", to: fresh("stock"))
        origin.route("/shop/api/v2/items", to: fresh("items"))
        origin.route("/shop/api/gone", to: ScriptedResponse(status: .gone, fields: plain, body: Array("gone".utf8)))
        origin.route("/shop/api/unstored") { request in
            var fields = plain
            fields[.cacheControl] = "no-store"
            return ScriptedResponse(fields: fields, body: Array("by \(request.method)".utf8))
        }
        origin.route("/shop/api/redirect", to: ScriptedResponse(status: .found, fields: [.location: "/shop/app.js"]))
        origin.route("/shop/api/fields") { request in
            ScriptedResponse(request.headerFields[.init("X-App")!] ?? "no field")
        }
        origin.route("/shop/api/range") { request in
            let range = request.headerFields[.range] ?? "none"
            return ScriptedResponse("range \(range)")
        }
        origin.route("/shop/api/agent") { request in
            ScriptedResponse(request.headerFields[.init("X-Agent")!] ?? "no field")
        }
        origin.route("/shop/api/internal/list", to: ScriptedResponse("list"))
        origin.route(
            "/shop/api/upload",
            receiving: { _, content in
                ScriptedResponse("\(content.count) \(Digest(of: content))")
            }
        )
        origin.route(
            "/shop/api/large",
            to: ScriptedResponse(fields: [.cacheControl: "max-age=600"], body: Self.large)
        )
        origin.fail("/shop/api/large", with: [.chunked])
    }
}
