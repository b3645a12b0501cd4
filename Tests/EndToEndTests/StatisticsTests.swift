import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// `stats` after the real `serve` has served the real curl.
struct StatisticsTests {
    /// An origin whose responses can be stored for a second or a day, and a bundle `shop` that is installed.
    private func withShop(
        _ body: (OriginServer, Bundlectl, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withOriginServer { origin in
            for (path, age) in [("/shop/new.js", 86_400), ("/shop/images/a.webp", 0)] {
                var response = ScriptedResponse("12345")
                response.fields[.cacheControl] = "max-age=\(age)"
                response.fields[.eTag] = "\"1\""
                origin.route(path, to: response)
            }
            try await withTemporaryDirectory { folder in
                let bundlectl = Bundlectl(store: folder.path(of: "store"))
                let origins = #"[{"url": "\#(origin.baseURL)/shop/"}]"#
                let manifest = #"{"name": "shop", "version": "1", "origins": \#(origins)}"#
                let tree = ["index.html": "shop", "late.js": "late", "bundle.json": manifest]
                try folder.write(tree: tree, to: "shop")
                try await bundlectl.expect(0, "pack", folder.path(of: "shop"), folder.path(of: "shop.zip"))
                try await bundlectl.expect(0, "install", folder.path(of: "shop.zip"))
                try await body(origin, bundlectl, folder)
            }
        }
    }

    private func numbers(_ document: AnyJSON?, _ keys: String...) -> [String] {
        keys.map { key in
            if case .number(let number)? = document?[key] { "\(key) \(Int(number))" } else { "\(key) ?" }
        }
    }

    @Test func `the requests of each layer are those that were made, also after a restart`() async throws {
        try await withShop { origin, bundlectl, _ in
            for round in 1...2 {
                try await bundlectl.serving { address, server in
                    for _ in 0..<5 { _ = try await Curl.get("\(address)/shop/index.html") }
                    _ = try await Curl.get("\(address)/shop/index.html", "--head")
                    // The first from the network, all others of both rounds from the cache.
                    for _ in 0..<3 { _ = try await Curl.get("\(address)/shop/new.js?secret=1") }
                    // Each is confirmed by the origin but the first.
                    for _ in 0..<2 { _ = try await Curl.get("\(address)/shop/images/a.webp") }
                    _ = try await Curl.get("\(address)/elsewhere")
                    _ = try await Curl.get("\(address)/shop/index.html", "-X", "TRACE")
                    _ = try await server.terminate()
                }
                let document = try await bundlectl.json("stats", "--since", "1h")
                let requests = document["requests"]
                #expect(
                    numbers(requests, "total", "active", "cache", "network", "miss", "server", "stale", "retained") == [
                        "total \(13 * round)", "active \(6 * round)", "cache \(3 * round - 1)",
                        "network \(2 * round + 1)", "miss \(round)", "server \(round)", "stale 0", "retained 0",
                    ]
                )
                #expect(
                    numbers(document["bytes"], "bundle", "cache", "network") == [
                        "bundle \(20 * round)", "cache \((3 * round - 1) * 5)", "network \((2 * round + 1) * 5)",
                    ]
                )
                #expect(numbers(document["revalidations"], "count") == ["count \(2 * round - 1)"])
                let shop = try await bundlectl.json("stats", "shop")
                #expect(numbers(shop["requests"], "miss", "active") == ["miss 0", "active \(6 * round)"])
                #expect("\(document)".contains("secret") == false)
                let missed = shop["misses"]?.array?.compactMap { $0["path"] }
                #expect(missed == ["images/a.webp", "new.js"])
            }
            withExtendedLifetime(origin) {}
        }
    }

    /// Two versions of a bundle: a long script whose name has a hash, and a file that only the first has.
    private func installVersions(_ origin: OriginServer, _ bundlectl: Bundlectl, _ folder: TemporaryDirectory)
        async throws
    {
        for version in 1...2 {
            let origins = #"[{"url": "\#(origin.baseURL)/shop/"}]"#
            let manifest = #"{"name": "shop", "version": "1.\#(version)", "origins": \#(origins)}"#
            let lines = (0..<2_000).map { "f(\($0), \($0 &* 7_919 % 1_009))" }.joined(separator: "\n")
            var tree = [
                "index.html": "shop", Self.scripts[version - 1]: "\(version)\n\(lines)", "bundle.json": manifest,
            ]
            if version == 1 { tree["late.js"] = "late" }
            try folder.write(tree: tree, to: "v\(version)")
            let archive = folder.path(of: "v\(version).zip")
            try await bundlectl.expect(0, "pack", folder.path(of: "v\(version)"), archive)
            try await bundlectl.expect(0, "install", archive)
        }
    }

    private static let scripts = ["app.4f3a9c21.js", "app.5a4b0d32.js"]

    /// Asks for a file until it comes in a coding. Returns the bytes that the responses had less than without one.
    private func savings(_ url: String, _ coding: String, length: Int, _ options: [String]) async throws -> Int {
        var saved = 0
        for _ in 0..<500 {
            let response = try await Curl.get(url, ["-H", "Accept-Encoding: \(coding)"] + options)
            saved += response["content-encoding"] == nil ? 0 : length - response.body.count
            if response["content-encoding"] == coding { return saved }
        }
        Issue.record("never in \(coding)")
        return saved
    }

    @Test func `retained files, stale copies, codings and deltas are counted as they are sent, over HTTP/2 too`()
        async throws
    {
        try await withShop { origin, bundlectl, folder in
            try await installVersions(origin, bundlectl, folder)
            let files = try await bundlectl.json("show", "shop@1.1", "--files")["files"]?.array ?? []
            let hex = try #require(files.first { $0["path"]?.string == Self.scripts[0] }?["sha256"]?.string)
            let bytes = stride(from: 0, to: hex.count, by: 2).compactMap {
                UInt8(hex.dropFirst($0).prefix(2), radix: 16)
            }
            let dictionary = "Available-Dictionary: :\(Data(bytes).base64EncodedString()):"
            var (byCodings, byDeltas) = (0, 0)
            try await bundlectl.serving("--compress-local") { address, server in
                let page = "\(address)/shop/\(Self.scripts[1])"
                let length = try await Curl.get(page).body.count
                _ = try await Curl.get(page, "-H", "Accept-Encoding: gzip")
                try await bundlectl.waitForForms(1) { $0.hasSuffix(".gz") }
                byCodings = try await savings(page, "gzip", length: length, [])
                byCodings += try await savings(page, "gzip", length: length, ["--http2-prior-knowledge"])
                byDeltas = try await savings(page, "dcz", length: length, ["-H", dictionary])
                _ = try await Curl.get(page, "--head", "-H", "Accept-Encoding: gzip")
                for _ in 0..<3 { _ = try await Curl.get("\(address)/shop/late.js", "--http2-prior-knowledge") }
                _ = try await Curl.get("\(address)/shop/images/a.webp", "--http2-prior-knowledge")
                await origin.stop()
                _ = try await Curl.get("\(address)/shop/images/a.webp")
                _ = try await Curl.get("\(address)/shop/none.js")
                _ = try await server.terminate()
            }
            let document = try await bundlectl.json("stats", "shop")
            #expect(byCodings > 0)
            #expect(byDeltas > 0)
            #expect(numbers(document["saved"], "codings", "deltas") == ["codings \(byCodings)", "deltas \(byDeltas)"])
            #expect(
                numbers(document["requests"], "retained", "network", "stale", "miss") == [
                    "retained 3", "network 1", "stale 1", "miss 1",
                ]
            )
            #expect(numbers(document["errors"], "server", "noResponse") == ["server 1", "noResponse 1"])
            #expect(document["misses"]?.array?.compactMap { $0["path"] } == ["images/a.webp", "none.js"])
        }
    }

    @Test func `a killed server loses no more than an interval, and two at once count together`() async throws {
        try await withShop { _, bundlectl, _ in
            func active() async throws -> String {
                numbers(try await bundlectl.json("stats", "shop")["requests"], "active").first ?? ""
            }
            try await bundlectl.serving("--statistics-every", "1s") { first, killed in
                try await bundlectl.serving { second, server in
                    for _ in 0..<4 { _ = try await Curl.get("\(first)/shop/index.html") }
                    for _ in 0..<3 { _ = try await Curl.get("\(second)/shop/index.html") }
                    // Each look takes a while; the server writes once a second.
                    for _ in 0..<500 {
                        if try await active() == "active 4" { break }
                    }
                    #expect(try await active() == "active 4")
                    killed.kill()
                    _ = try await server.terminate()
                }
            }
            #expect(try await active() == "active 7")
        }
    }

    @Test func `a server that counts nothing writes nothing`() async throws {
        try await withShop { _, bundlectl, _ in
            try await bundlectl.serving("--statistics-every", "off") { address, server in
                _ = try await Curl.get("\(address)/shop/index.html")
                _ = try await server.terminate()
            }
            #expect(try await bundlectl("stats").output == "nothing has been counted\n")
        }
    }

    @Test func `the misses are a list for pack`() async throws {
        try await withShop { _, bundlectl, folder in
            try await bundlectl.serving { address, server in
                _ = try await Curl.get("\(address)/shop/new.js?a=1")
                for _ in 0..<2 { _ = try await Curl.get("\(address)/shop/images/a.webp") }
                _ = try await server.terminate()
            }
            let list = try await bundlectl.expect(0, "stats", "shop", "--misses")
            #expect(list.output == "images/a.webp\nnew.js\n")
            try folder.write(tree: ["misses.txt": list.output], to: "lists")
            try folder.write(tree: ["new.js": "new"], to: "shop")
            let packed = try await bundlectl.json(
                "pack",
                folder.path(of: "shop"),
                folder.path(of: "next.zip"),
                "--include-list",
                folder.path(of: "lists/misses.txt")
            )
            // The manifest, its entry and new.js; without late.js.
            #expect(packed["fileCount"] == 3)
            #expect(packed["excludedFileCount"] == 1)
            #expect(packed["warnings"]?.array?.count == 1)
        }
    }
}
