import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// `network`, `serve --metered`, and what is fetched ahead, with real origins.
struct NetworkVerbTests {
    /// Passes on an origin, a command with a store, and the archive of a bundle with these members in its manifest, in
    /// which `ORIGIN` stands for the origin's URL.
    private func withShop(
        _ network: String,
        origins: String = #"[{"url": "ORIGIN/shop/"}]"#,
        _ body: (OriginServer, Bundlectl, _ archive: String) async throws -> Void
    ) async throws {
        try await withOriginServer { origin in
            try await withTemporaryDirectory { folder in
                let manifest = """
                    {"name": "shop", "version": "1", "origins": \(origins), "network": \(network)}
                    """
                    .replacingOccurrences(of: "ORIGIN", with: origin.baseURL)
                try folder.write(tree: ["index.html": "shop", "bundle.json": manifest], to: "shop")
                let archive = folder.path(of: "shop.zip")
                let bundlectl = Bundlectl(store: folder.path(of: "store"))
                try await bundlectl.expect(0, "pack", folder.path(of: "shop"), archive)
                try await body(origin, bundlectl, archive)
            }
        }
    }

    private static let precache = #"{"precache": ["ORIGIN/shop/a", "ORIGIN/shop/b"]}"#

    private func publish(_ path: String, on origin: OriginServer, isStored: Bool = true) {
        var response = ScriptedResponse(path)
        response.fields[.cacheControl] = isStored ? "max-age=1000" : "no-store"
        origin.route(path, to: response)
    }

    @Test func `an installation fetches ahead, and its pages are there without a network`() async throws {
        try await withShop(Self.precache) { origin, bundlectl, archive in
            for path in ["/shop/a", "/shop/b"] { publish(path, on: origin) }
            let install = try await bundlectl.expect(0, "install", archive)
            #expect(install.output.contains("fetched ahead for shop: 2 of 2 URLs\n"))
            #expect(origin.requestedPaths.sorted() == ["/shop/a", "/shop/b"])
            let show = try await bundlectl("show", "shop")
            #expect(show.output.contains("2 of 2 URLs"))
            #expect(!show.output.contains("not stored"))
            await origin.stop()
            try await bundlectl.serving("--offline") { address, _ in
                let page = try await Curl.get("\(address)/shop/b")
                #expect(page.text == "/shop/b")
            }
        }
    }

    @Test func `an installation succeeds when nothing is fetched, says so in one line, and a server fetches later`()
        async throws
    {
        try await withShop(Self.precache) { origin, bundlectl, archive in
            let install = try await bundlectl.expect(0, "install", archive, "--no-precache")
            #expect(!install.output.contains("fetched ahead"))
            #expect(origin.requestedPaths.isEmpty)
            origin.route("/shop/a", to: .notFound)
            origin.route("/shop/b", to: .notFound)
            let again = try await bundlectl.expect(0, "install", archive)
            #expect(again.output.contains("0 of 2 URLs; serve and update fetch the rest later: "))
            #expect(!again.errorOutput.contains("404"))
            let show = try await bundlectl("show", "shop").output
            #expect(show.contains("0 of 2 URLs"))
            #expect(show.contains("/shop/a has status 404; next try 2"))
            // What was recorded belongs to the cache: cleared, everything is due.
            try await bundlectl.expect(0, "cache", "clear")
            for path in ["/shop/a", "/shop/b"] { publish(path, on: origin) }
            try await bundlectl.serving { _, server in
                try await server.waitForErrorOutput(containing: "2 of 2 URLs are fetched ahead")
            }
            #expect(try await bundlectl("show", "shop").output.contains("2 of 2 URLs"))
        }
    }

    @Test func `update and check fetch what is missing, and print only what is new`() async throws {
        try await withShop(Self.precache) { origin, bundlectl, archive in
            for path in ["/shop/a", "/shop/b"] { publish(path, on: origin) }
            for verb in ["update", "check"] {
                try await bundlectl.expect(0, "install", archive, "--no-precache")
                try await bundlectl.expect(0, "cache", "clear")
                #expect(try await bundlectl(verb).output.contains("fetched ahead for shop: 2 of 2 URLs"))
                #expect(try await !bundlectl(verb).output.contains("fetched ahead"))
            }
        }
    }

    @Test(arguments: ["install", "update", "check"])
    func `verbs that fetch ahead go by the operator's rules, as a server does, and show tells what is stored by them`(
        _ verb: String
    ) async throws {
        let urls = ["a", "b", "c"].map { #""http://m.example.com/shop/\#($0)""# }.joined(separator: ", ")
        let origins = #"[{"url": "http://m.example.com/shop/"}]"#
        try await withShop(#"{"precache": [\#(urls)]}"#, origins: origins) { origin, bundlectl, archive in
            for path in ["/shop/a", "/shop/b", "/shop/d"] { publish(path, on: origin) }
            let address = origin.baseURL.replacingOccurrences(of: "http://", with: "")
            let elsewhere = #""connectTo": "\#(address)", "requestFields": {"set": {"X-App": "1"}}"#
            let text = #"""
                {"rules": [{"match": {"path": "/b"}, "strategy": "block"},
                           {"match": {"path": "/c"}, "rewrite": {"from": "/c", "to": "/d"}, \#(elsewhere)},
                           {\#(elsewhere)}]}
                """#
            let file = bundlectl.store + ".rules.json"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            let rules = ["--network-rules", file]
            if verb != "install" { try await bundlectl.expect(0, "install", archive, "--no-precache") }
            let words = verb == "install" ? [verb, archive] : [verb]
            let result = try await bundlectl.run(words + rules)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            let report = result.output
            #expect(report.contains("fetched ahead for shop: 2 of 3 URLs; "))
            #expect(report.contains("block"))
            #expect(origin.requestedPaths.sorted() == ["/shop/a", "/shop/d"])
            for request in origin.requests {
                #expect(request.authority == "m.example.com")
                #expect(HTTPField.Name("X-App").flatMap { request.headerFields[$0] } == "1")
            }
            let show = try await bundlectl.run(["show", "shop"] + rules)
            #expect(show.output.contains("2 of 3 URLs"))
            try await bundlectl.serving("--offline", "--network-rules", file) { address, _ in
                let (rewritten, blocked) = try await (Curl.get("\(address)/shop/c"), Curl.get("\(address)/shop/b"))
                #expect(rewritten.text == "/shop/d")
                #expect(blocked.status == 403)
            }
        }
    }

    @Test func `rules that are wrong are refused before a verb changes anything`() async throws {
        try await withShop("{}") { _, bundlectl, archive in
            let file = bundlectl.store + ".rules.json"
            try Data(#"{"rules": [{"offline": 1}]}"#.utf8).write(to: URL(fileURLWithPath: file))
            let refused = try await bundlectl.expect(64, "install", archive, "--network-rules", file)
            #expect(refused.errorOutput.contains("\(file): rules[0].offline: must be a string"))
            #expect(!FileManager.default.fileExists(atPath: bundlectl.store))
            try await bundlectl.expect(0, "install", archive)
            for verb in ["update", "check"] { try await bundlectl.expect(64, verb, "--network-rules", file) }
        }
    }

    @Test func `what may not be fetched while the link is metered isn't fetched ahead`() async throws {
        let network = #"""
            {"precache": ["ORIGIN/shop/a"], "rules": [{"match": {}, "onlyIfMetered": true, "strategy": "block"}]}
            """#
        try await withShop(network) { origin, bundlectl, archive in
            publish("/shop/a", on: origin)
            for option in [["--metered"], []] {
                let report = try await bundlectl.run(["install", archive] + option).output
                #expect(report.contains(option.isEmpty ? "1 of 1 URL\n" : "0 of 1 URL; "))
                #expect(origin.requests.count == (option.isEmpty ? 1 : 0))
            }
            try await bundlectl.expect(0, "cache", "clear")
            try await bundlectl.expect(0, "network", "metered", "on")
            let again = try await bundlectl.expect(0, "install", archive)
            #expect(again.output.contains("0 of 1 URL; "))
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `an offline copy is fetched ahead, and is there without a network alone`() async throws {
        let network = #"{"precache": ["ORIGIN/shop/a"], "rules": [{"match": {}, "offline": "always"}]}"#
        try await withShop(network) { origin, bundlectl, archive in
            publish("/shop/a", on: origin, isStored: false)
            let install = try await bundlectl.expect(0, "install", archive)
            #expect(install.output.contains("fetched ahead for shop: 1 of 1 URL\n"))
            #expect(try await bundlectl("show", "shop").output.contains("1 of 1 URL"))
            let url = "\(origin.baseURL)/shop/a"
            let online = try await bundlectl("resolve", url)
            #expect(!online.output.contains("which a network rule keeps"))
            let offline = try await bundlectl("resolve", "--offline", url)
            #expect(offline.output.contains("the last response to \(url), which a network rule keeps"))
            await origin.stop()
            try await bundlectl.serving("--offline") { address, _ in
                let page = try await Curl.get("\(address)/shop/a")
                #expect(page.text == "/shop/a")
            }
        }
    }

    @Test func `the link is metered at run time without a restart, and after one`() async throws {
        let rules = #"{"rules": [{"match": {"suffix": ".png"}, "onlyIfMetered": true, "strategy": "block"}]}"#
        try await withShop(rules) { origin, bundlectl, archive in
            publish("/shop/a.png", on: origin, isStored: false)
            try await bundlectl.expect(0, "install", archive)
            func waits(for status: Int, _ address: String) async throws -> Bool {
                let deadline = ContinuousClock.now + .seconds(20)
                while try await Curl.get("\(address)/shop/a.png").status != status {
                    guard ContinuousClock.now < deadline else { return false }
                }
                return true
            }
            try await bundlectl.serving { address, server in
                #expect(try await waits(for: 200, address))
                let on = try await bundlectl.expect(0, "network", "metered", "on")
                #expect(on.output == "metered: on\n")
                #expect(try await waits(for: 403, address))
                try await bundlectl.expect(0, "network", "metered", "off")
                #expect(try await waits(for: 200, address))
                try await bundlectl.expect(0, "network", "metered", "on")
                _ = try await server.terminate()
            }
            try await bundlectl.serving { address, server in
                let picture = try await Curl.get("\(address)/shop/a.png")
                #expect(picture.status == 403)
                _ = try await server.terminate()
            }
            #expect(try await bundlectl("resolve", "\(origin.baseURL)/shop/a.png").output.contains("block"))
            try await bundlectl.expect(0, "network", "metered", "default")
            try await bundlectl.serving("--metered") { address, _ in
                let picture = try await Curl.get("\(address)/shop/a.png")
                #expect(picture.status == 403)
                try await bundlectl.expect(0, "network", "metered", "off")
                #expect(try await waits(for: 200, address))
            }
            try await bundlectl.expect(64, "network", "metered", "perhaps")
        }
    }

    @Test func `network shows an origin that is out, while the server runs, and that it has returned`() async throws {
        try await withShop("{}") { origin, bundlectl, archive in
            publish("/shop/a", on: origin)
            try await bundlectl.expect(0, "install", archive)
            #expect(try await bundlectl("network").output.contains("no origin has been asked"))
            try await bundlectl.serving("--origin-retries", "0") { address, server in
                #expect(try await Curl.get("\(address)/shop/a").status == 200)
                await origin.stop()
                #expect(try await Curl.get("\(address)/shop/b").status == 504)
                try await server.waitForErrorOutput(containing: "doesn't respond: ")
                let report = try await bundlectl("network").output
                #expect(report.contains("server   running"))
                #expect(report.contains("open until 2"))
                #expect(report.contains("200 -"))
                #expect(report.contains("connection refused"))
                try await server.terminate()
            }
            #expect(try await bundlectl("network").output.contains("not running"))
        }
    }
}
