import BundleTesting
import Foundation
import Testing

/// Damage to the store's files, before and under a running server: the real server, the real curl, a real origin.
struct DamageTests {
    /// A kind of the store's files, and how much of one remains.
    struct Cut: CustomStringConvertible {
        let folder: String
        let left: String
        let isRead: Bool

        var description: String { "\(folder) to \(left), \(isRead ? "after" : "before") the first read" }

        static let all = ["segments", "indexes", "variants", "cache"].flatMap { folder in
            ["nothing", "half a page", "a page less"].flatMap { left in
                [true, false].map { Cut(folder: folder, left: left, isRead: $0) }
            }
        }

        /// Truncates each file of the kind in place.
        func strike(_ store: String) throws {
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(store)/\(folder)")
            try #require(!files.isEmpty, "\(self)")
            for file in files.map({ "\(store)/\(folder)/\($0)" }) {
                let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
                let length =
                    switch left {
                    case "nothing": 0
                    case "half a page": min(2_048, size / 2)
                    default: max(0, size - 4_096)
                    }
                try #require(truncate(file, off_t(length)) == 0)
            }
        }
    }

    private static let paths = [
        "shop/", "shop/assets/hero.5f7e7856.png", "shop/assets/app.e68a7d5d.js", "shop/api/stock.json",
        "shop/api/long.bin",
    ]

    /// The requests, over HTTP/1 and HTTP/2; nil for one without a response, which a client can distinguish from one.
    private func get(_ address: String) async -> [String: (status: Int, body: [UInt8])] {
        var responses: [String: (Int, [UInt8])] = [:]
        for path in Self.paths {
            for version in ["--http1.1", "--http2-prior-knowledge"] {
                let options = [version, "-H", "Accept-Encoding: gzip", "--compressed"]
                if let response = try? await Curl.get("\(address)/\(path)", options) {
                    responses["\(path) \(version)"] = (response.status, response.body)
                }
            }
        }
        return responses
    }

    /// A store that is copied for each cut, and a server's responses from it.
    private struct Sound {
        let store: String
        let responses: [String: (status: Int, body: [UInt8])]
    }

    /// - Parameter isFilled: Whether coded forms and kept responses are in the store.
    private func sound(_ publisher: Publisher, isFilled: Bool) async throws -> Sound {
        let bundlectl = Bundlectl(store: publisher.directory.path(of: isFilled ? "filled" : "installed"))
        try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
        if isFilled {
            try await bundlectl.serving("--compress-local") { address, server in
                try await fill(address, bundlectl)
                try await server.terminate()
            }
        }
        return Sound(
            store: bundlectl.store,
            responses: try await bundlectl.serving("--compress-local") { address, _ in await get(address) }
        )
    }

    @Test func `a file that is cut under a running server neither ends it nor corrupts responses`() async throws {
        try await withPublisher { publisher, _ in
            // Short responses are kept in the catalog.
            try publisher.directory.write([UInt8](repeating: 7, count: 200_000), to: "site/shop/api/long.bin")
            let installed = try await sound(publisher, isFilled: false)
            let filled = try await sound(publisher, isFilled: true)
            try await publisher.stop()
            for (number, cut) in Cut.all.enumerated() {
                let sound = cut.folder == "variants" || cut.folder == "cache" ? filled : installed
                let bundlectl = Bundlectl(store: publisher.directory.path(of: "store-\(number)"))
                try FileManager.default.copyItem(atPath: sound.store, toPath: bundlectl.store)
                try await bundlectl.serving("--compress-local") { address, server in
                    if cut.isRead { _ = await get(address) }
                    try cut.strike(bundlectl.store)
                    // Before the server has detected it: it must run afterwards in any case.
                    _ = await get(address)
                    if cut.folder == "segments" || cut.folder == "indexes" {
                        // What is still there of a segment may be saved before the server has looked at its files.
                        try await eventually("the server detects \(cut)", every: .milliseconds(20)) {
                            ["degraded: shop 1.0.0 can't be ", "couldn't be repaired: shop@1.0.0"]
                                .contains { server.errorOutput.contains($0) }
                        }
                    }
                    var wrong: [String] = []
                    // Coded forms are checked once a second, without a message.
                    for _ in 0..<100 {
                        wrong = await get(address)
                            .filter { $1.status == 200 && $1.body != sound.responses[$0]?.body }.map(\.key)
                        if wrong.isEmpty { break }
                    }
                    #expect(wrong == [], "\(cut)")
                    #expect(try await Curl.get("\(address)/healthz").status == 200, "\(cut)")
                    let end = try await server.terminate()
                    #expect(end.exitCode == 0, "\(cut): \(end.errorOutput)")
                }
            }
        }
    }

    /// Makes the server make a coded form, and store a response.
    private func fill(_ address: String, _ bundlectl: Bundlectl) async throws {
        for path in ["stock.json", "long.bin"] { _ = try await Curl.get("\(address)/shop/api/\(path)") }
        _ = try await Curl.get("\(address)/shop/", "-H", "Accept-Encoding: gzip")
        try await bundlectl.waitForForms(1)
    }

    /// Truncates the index of the version that was installed last.
    private func cutLatestIndex(_ bundlectl: Bundlectl, installing archive: String) async throws {
        let before = try Set(FileManager.default.contentsOfDirectory(atPath: bundlectl.store + "/indexes"))
        try await bundlectl.expect(0, "install", archive)
        let after = try Set(FileManager.default.contentsOfDirectory(atPath: bundlectl.store + "/indexes"))
        let index = try #require(after.subtracting(before).first)
        try #require(truncate("\(bundlectl.store)/indexes/\(index)", 100) == 0)
    }

    @Test func `a release that can't be opened is replaced by the one before, until it is repaired automatically`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await cutLatestIndex(bundlectl, installing: publisher.archive("1.1.0"))
            try await bundlectl.serving("--offline") { address, server in
                let page = try await Curl.get("\(address)/shop/")
                #expect(page.status == 200)
                #expect(page["cache-status"]?.contains("stand-in 1.0.0") == true)
                let degradation = "degraded: shop 1.1.0 can't be opened, 1.0.0 is served"
                try await server.waitForErrorOutput(containing: degradation)
                let ready = try await Curl.get("\(address)/readyz")
                #expect(ready.status == 200)
                #expect(ready.text == degradation + "\n")
                try await server.waitForErrorOutput(containing: "couldn't be repaired: shop@1.1.0")
                #expect(!server.errorOutput.contains("shop: tried http"))
            }
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.serving { address, server in
                try await server.waitForErrorOutput(containing: "reinstalled shop@1.1.0 from \(publisher.origin)")
                try await server.waitForErrorOutput(containing: "every active version can be opened again")
                #expect(try await Curl.get("\(address)/shop/")["cache-status"]?.contains("active 1.1.0") == true)
                #expect(try await Curl.get("\(address)/readyz").text == "ok\n")
            }
        }
    }

    @Test func `the verbs handle a release that can't be opened`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await cutLatestIndex(bundlectl, installing: publisher.archive("1.1.0"))
            let list = try await bundlectl.expect(0, "list")
            #expect(list.output.contains("1.1.0    active, damaged"), "\(list.output)")
            let bundle = try await bundlectl.json("list")["bundles"]?.array?.first
            #expect(bundle?["active"]?.string == "1.1.0")
            #expect(bundle?["serving"]?.string == "1.0.0")
            let shown = try await bundlectl.expect(0, "show", "shop")
            #expect(shown.output.contains("active, damaged"))
            #expect(shown.output.contains("1.1.0"))
            let out = bundlectl.store + "-out"
            for arguments in [["show", "shop", "--files"], ["export", "shop", out], ["activate", "shop@1.1.0"]] {
                let result = try await bundlectl.run(arguments)
                #expect(result.exitCode == 65, "\(arguments) \(result.errorOutput)")
                #expect(result.errorOutput.contains("shop@1.1.0: "), "\(arguments)")
            }
            let trace = try await bundlectl.expect(0, "resolve", "/shop/")
            #expect(trace.output.contains("1.1.0 can't be opened, 1.0.0 is served; shop@1.0.0 has index.html"))
            let repair = try await bundlectl.expect(65, "verify", "--repair", "--offline")
            #expect(repair.output.contains("tried store: nothing for shop@1.1.0"))
            #expect(!(repair.output + repair.errorOutput).contains("verify --repair"))
            #expect(repair.errorOutput.contains("shop 1.1.0 can't be opened, 1.0.0 is served"))
            let rollback = try await bundlectl.expect(0, "rollback", "shop")
            #expect(rollback.output.contains("1.1.0"))
            #expect(!rollback.output.contains("none"))
        }
    }

    @Test func `verify --repair uses the archive that the feed offers, and says what it tried`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await cutLatestIndexOfNew(bundlectl, publisher)
            try await publisher.publish("1.1.0", with: bundlectl)
            let result = try await bundlectl.expect(0, "verify", "--repair")
            #expect(result.output.contains("reinstalled shop@1.1.0 from \(publisher.origin)/releases/"))
            try await bundlectl.expect(0, "verify")
            #expect(try await bundlectl.json("verify", "--repair")["tried"]?.array == [])
        }
    }

    private func cutLatestIndexOfNew(_ bundlectl: Bundlectl, _ publisher: Publisher) async throws {
        try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
        try await cutLatestIndex(bundlectl, installing: publisher.archive("1.1.0"))
    }

    @Test func `a damaged file without a network is reported as damaged`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let page = try Project.contents("bundles/shop/1.0.0/index.html")
            try SegmentDamage.flip(String(decoding: page.prefix(200), as: UTF8.self), inStore: bundlectl.store)
            try await bundlectl.serving("--offline") { address, _ in
                let response = try await Curl.get("\(address)/shop/index.html")
                #expect(response.status == 500)
                #expect(response["cache-status"]?.contains(#"detail="damaged""#) == true)
                #expect(response.text.contains("shop@1.0.0 index.html is damaged"))
            }
            try await bundlectl.expect(65, "export", "shop", bundlectl.store + "-out")
        }
    }

    @Test func `--scrub-every finds damage before a request does, and repairs it from the feed`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.0.0", with: bundlectl)
            try bundlectl.flipBit()
            try await bundlectl.serving("--scrub-every", "1s", "--admin", "127.0.0.1:0") { _, server in
                try await server.waitForErrorOutput(containing: "read the store again: ")
                try await server.waitForErrorOutput(containing: "repaired shop@1.0.0")
                try await server.waitForErrorOutput(containing: "metrics and health are at ")
                let line = try #require(
                    server.errorOutput.split(separator: "\n").first { $0.contains("metrics and health are at ") }
                )
                let admin = try #require(line.split(separator: " ").last)
                let metrics = try await Curl.get("\(admin)/metrics").text
                for name in ["scrub_runs_total", "scrub_read_bytes_total", "scrub_damaged_total", "repaired_total"] {
                    #expect(!metrics.contains("\nbundlectl_\(name) 0\n"), "\(metrics)")
                    #expect(metrics.contains("\nbundlectl_\(name) "))
                }
                #expect(metrics.contains("\nbundlectl_scrub_last_run_timestamp_seconds "))
                #expect(metrics.contains("\nbundlectl_degraded_bundles 0\n"))
            }
            try await bundlectl.expect(0, "verify")
        }
    }
}
