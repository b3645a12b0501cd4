import BundleTesting
import Foundation
import Testing

@testable import bundlectl

/// `serve --config` and SIGHUP.
struct ReloadTests {
    private static let manifest =
        #"{"name": "shop", "version": "1.0.0", "origins": [{"url": "https://shop.example/"}], "entry": "index.html"}"#
    private static let rules = #"{"rules": [{"match": {"path": "/api/**"}, "mock": {"status": 204}}]}"#

    /// Runs a server with a bundle named shop.
    private func serving(
        _ json: String,
        _ options: [String] = [],
        _ body: (ConfiguredServer) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let folder = try directory.write(tree: ["bundle.json": Self.manifest, "index.html": "shop"], to: "shop")
            try await bundlectl.expect(0, "install", folder)
            try directory.write(Self.rules, to: "rules.json")
            try await ConfiguredServer.running(bundlectl, in: directory, json, options, body)
        }
    }

    @Test func `each option that can be changed has its effect tested`() {
        let tested = Set(ReloadEffect.ofServing.keys).union(UpdateReloadEffect.all.keys)
        // Pages have to be open for the first; the second shows after half a minute, and goes the way of --download-deadline;
        // the third has a test of its own below.
        #expect(tested.union(["page-lifetime", "least-rate", "admin-token-file"]) == ConfigurationReload.options)
    }

    @Test(.timeLimit(.minutes(5)), arguments: ReloadEffect.ofServing.keys.sorted())
    func `a change counts for the running server`(option: String) async throws {
        let effect = try #require(ReloadEffect.ofServing[option])
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let folder = try directory.write(tree: ["bundle.json": Self.manifest, "index.html": "shop"], to: "shop")
            try await bundlectl.expect(0, "install", folder)
            let rules = try directory.write(Self.rules, to: "rules.json")
            let admin = directory.path(of: "admin.sock")
            let options = effect.options.map { $0.replacingOccurrences(of: "ADMIN", with: admin) }
            let before = effect.before.replacingOccurrences(of: "RULES", with: rules)
            try await ConfiguredServer.running(bundlectl, in: directory, before, options) { server in
                try await effect.first(server)
                try await server.reload(effect.after.replacingOccurrences(of: "RULES", with: rules), until: effect.log)
                try await effect.then(server)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: UpdateReloadEffect.all.keys.sorted())
    func `a change counts for the updates of the running server`(option: String) async throws {
        let effect = try #require(UpdateReloadEffect.all[option])
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            let archive = try await site.archive("docs", "1.1.0")
            let publication = ["publish", archive, "--to", site.folder("docs")] + effect.publication
            // A feed that isn't there isn't asked for again soon.
            if effect.isPublishedLater { try await site.publish("docs", "1.0.0") }
            if !effect.isPublishedLater { #expect(try await site.bundlectl.run(publication).exitCode == 0) }
            try await ConfiguredServer.running(site.bundlectl, in: site.directory, effect.before) { server in
                if let first = effect.first { try await server.waitForLog(first) }
                #expect(!server.process.errorOutput.contains(effect.then))
                try await server.reload(effect.after)
                if effect.isPublishedLater { #expect(try await site.bundlectl.run(publication).exitCode == 0) }
                try await server.waitForLog(effect.then)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `open pages keep their version for as long as the file says now`() async throws {
        try await withFeedSite { site in
            try await site.install("docs", "1.0.0")
            try await ConfiguredServer.running(site.bundlectl, in: site.directory, "{}") { server in
                try await site.install("docs", "1.1.0")
                let cookie = "Cookie: offline-bundles.docs=1.0.0"
                let path = Bundlectl.own("docs", server.address) + "data.txt"
                #expect(try await server.get(path, "-H", cookie).text.hasSuffix("1.0.0"))
                try await server.reload(#"{"pageLifetime": "1s"}"#)
                for _ in 0..<500 {
                    if try await server.get(path, "-H", cookie).text.hasSuffix("1.1.0") { return }
                }
                Issue.record("the page keeps its version")
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the dashboard's token is the one that the file has now, and a file that others can read changes nothing`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let socket = directory.path(of: "admin.sock")
            let (old, new) = ("0123456789abcdef-old", "0123456789abcdef-new")
            let file = try directory.write(old + "\n", to: "token")
            #expect(chmod(file, 0o600) == 0)
            let options = ["--admin", "unix:\(socket)", "--admin-token-file", file]
            try await ConfiguredServer.running(bundlectl, in: directory, "{}", options) { server in
                func status(_ token: String) async throws -> Int {
                    let field = "Authorization: Bearer \(token)"
                    return try await server.get("http://localhost/api/state", "--unix-socket", socket, "-H", field)
                        .status
                }
                let line = try await server.process.waitForLine(containing: "dashboard at ")
                #expect(line == "dashboard at unix:\(socket)")
                #expect(try await [status(old), status(new)] == [200, 401])
                try directory.write(new + "\n", to: "token")
                #expect(chmod(file, 0o644) == 0)
                try await server.reload("{}", until: "error: the configuration stays as it is: ")
                #expect(server.process.errorOutput.contains("other users can read or change it; run “chmod"))
                #expect(try await [status(old), status(new)] == [200, 401])
                #expect(chmod(file, 0o600) == 0)
                try await server.reload("{}")
                #expect(try await [status(old), status(new)] == [401, 200])
                #expect(!server.process.output.contains("0123456789abcdef"))
                #expect(!server.process.errorOutput.contains("0123456789abcdef"))
            }
        }
    }

    @Test(
        arguments: [
            ("token", 0o600, "short", 64, "can't be a token: it must have 16 to 512"),
            ("token", 0o644, "0123456789abcdef", 64, "chmod u=rw,g-wx,o="), ("missing", 0o600, "", 66, "can't be read"),
        ] as [(String, Int, String, Int32, String)]
    )
    func `a token's file that can't be used is refused at the start`(
        name: String,
        mode: Int,
        content: String,
        status: Int32,
        reason: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(content, to: "token")
            #expect(chmod(file, mode_t(mode)) == 0)
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let options = [
                "--admin", "unix:\(directory.path(of: "a"))", "--admin-token-file", directory.path(of: name),
            ]
            let end = try await bundlectl.run(["serve", "--listen", "127.0.0.1:0"] + options)
            #expect(end.exitCode == status)
            #expect(end.errorOutput.contains(reason), "\(end.errorOutput)")
        }
    }

    @Test func `each option that can't be changed while the server runs is told`() async throws {
        let before = #"{"verbose": false}"#
        try await serving(before) { server in
            let page = try await server.get("/shop/")
            try await server.reload(Self.unchangeable, until: "read again: no change")
            let log = server.process.errorOutput
            for option in ConfigurableOption.all where !ConfigurationReload.options.contains(option.name) {
                // The command line and the environment have the address and the store; --watch and --manifest belong to a folder.
                guard !["listen", "manifest", "socket-mode", "store", "watch"].contains(option.name) else { continue }
                #expect(
                    log.contains("notice: \(option.key) is ") && log.contains(" at the next start"),
                    "\(option.key)"
                )
            }
            #expect(!log.contains(" now\n"))
            #expect(try await server.get("/shop/").text == page.text)
            // They are told again as long as they differ.
            let count = log.components(separatedBy: "maxConnections is ").count
            try await server.reload(
                Self.unchangeable.dropLast() + #", "header": ["X-A: 1"]}"#,
                until: "read again: 1 changed"
            )
            #expect(server.process.errorOutput.components(separatedBy: "maxConnections is ").count > count)
        }
    }

    /// Another value of each.
    private static let unchangeable = """
        {
            "tlsCertificate": "/c.pem", "tlsKey": "/k.pem", "offline": true, "sharedCache": true,
            "targetedCacheControl": ["CDN-Cache-Control"], "cacheSize": "7MB", "cacheMemory": "7MB", "variantQuota": "off",
            "compressLocal": true, "noVersionCookie": true, "allowOriginNetwork": ["private"], "originConnectTimeout": "7s",
            "originFirstByteTimeout": "7s", "originSilenceTimeout": "7s", "originRetries": 1, "admin": "127.0.0.1:0",
            "accessLog": "-", "accessLogFormat": "json", "statisticsEvery": "off", "maxConnections": 7,
            "maxConnectionsPerAddress": 7, "maxWaitingRequests": 7, "maxWaitingRequestsPerAddress": 7, "maxRequestRate": 7,
            "maxHeadSize": "7KB", "maxHeaderFields": 7,
            "idleTimeout": "7s", "headTimeout": "7s", "bodyTimeout": "7s", "writeTimeout": "7s", "onEvent": "true",
            "telemetry": "otlp+http://127.0.0.1:1/v1/metrics", "telemetryInstance": "off", "label": ["site=42"],
            "telemetryInterval": "5m",
            "webhook": "https://a.example/", "webhookLabel": ["site=berlin"], "webhookHeaderFile": "/f", "webhookSecretFile": "/s",
            "requireTrust": true, "shareContents": true, "caCertificate": ["/ca.pem"], "proxy": "http://proxy.example:3128",
            "noProxy": "a.example", "netrcFile": "/n", "credentialsFile": "/c",
            "mirror": "http://cache.example"
        }
        """

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ([], #""store": "STORE""#, #""store": "/other""#, ["store"]),
            (
                ["FOLDER"], "", #""socketMode": "660", "watch": true, "manifest": "/m", "listen": "unix:/a""#,
                ["listen", "manifest", "socketMode", "watch"]
            ),
        ] as [([String], String, String, [String])]
    )
    func `so are an address, a store and the watch of a folder`(
        arguments: [String],
        before: String,
        after: String,
        keys: [String]
    ) async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: ["bundle.json": Self.manifest, "index.html": "shop"], to: "shop")
            let store = before.replacingOccurrences(of: "STORE", with: directory.path(of: "store"))
            let address = #""listen": "127.0.0.1:0""#
            let file = try directory.write(
                "{\([address, store].filter { !$0.isEmpty }.joined(separator: ", "))}",
                to: "a.json"
            )
            var environment = ProcessInfo.processInfo.environment
            environment["BUNDLECTL_STORE"] = nil
            let words = ["serve", "--config", file] + arguments.map { _ in folder }
            try await withChildProcess(Bundlectl.path, words, environment: environment) { server in
                _ = try await server.waitForLine(containing: "listening on ")
                try directory.write(after.contains("listen") ? "{\(after)}" : "{\(address), \(after)}", to: "a.json")
                server.send(SIGHUP)
                try await server.waitForErrorOutput(containing: "read again: no change")
                for key in keys { #expect(server.errorOutput.contains("notice: \(key) is ")) }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `an open connection stays, and its next request goes by the new file`() async throws {
        try await serving(#"{"header": ["X-A: 1"]}"#) { server in
            let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
            try await withRawConnection(to: port) { connection in
                for _ in 0..<2 { #expect(try await connection.get("/shop/")["x-a"] == "1") }
                try await server.reload(#"{"header": ["X-A: 2"], "mount": ["shop=/app/"]}"#)
                #expect(try await connection.get("/shop/")["x-a"] == "2")
                #expect(try await connection.get("/app/").status == 200)
            }
            #expect(server.process.errorOutput.contains("notice: header is X-A: 2 now\n"))
            #expect(server.process.errorOutput.contains("notice: mount is shop=/app/ now\n"))
        }
    }

    @Test(
        arguments: [
            (#"{"header": ["X-A 2"]}"#, "a field is a name, a colon"), (#"{"heder": []}"#, "did you mean “header”?"),
            ("{", "line 1, column 2"), (#"{"mount": ["a=/", "b=/"]}"#, "is given to a and to b"),
            (#"{"networkRules": "/none.json"}"#, "/none.json can't be read"),
            (#"{"header": ["X-A: 2"], "scrubEvery": "0s"}"#, "longer than 0s"),
        ]
    )
    func `a wrong file changes nothing, and the log says why`(json: String, reason: String) async throws {
        try await serving(#"{"header": ["X-A: 1"]}"#) { server in
            try await server.reload(json, until: "error: the configuration stays as it is: ")
            #expect(server.process.errorOutput.contains(reason), "\(server.process.errorOutput)")
            #expect(try await server.get("/shop/")["x-a"] == "1")
            try await server.reload(#"{"header": ["X-A: 3"]}"#)
            #expect(try await server.get("/shop/")["x-a"] == "3")
        }
    }

    @Test func `the command line and the environment stay as they were`() async throws {
        try await serving(#"{"header": ["X-A: 1"]}"#, ["--header", "X-A: 9"]) { server in
            try await server.reload(#"{"header": ["X-A: 2"]}"#, until: "read again: no change")
            #expect(try await server.get("/shop/")["x-a"] == "9")
        }
    }

    @Test func `network rules are read again from the same file`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let folder = try directory.write(tree: ["bundle.json": Self.manifest, "index.html": "shop"], to: "shop")
            try await bundlectl.expect(0, "install", folder)
            let rules = try directory.write(Self.rules, to: "rules.json")
            let options = ["--network-rules", rules, "--development"]
            try await ConfiguredServer.running(bundlectl, in: directory, "{}", options) { server in
                #expect(try await server.get("/shop/api/a").status == 204)
                try directory.write(Self.rules.replacingOccurrences(of: "204", with: "205"), to: "rules.json")
                try await server.reload("{}")
                #expect(try await server.get("/shop/api/a").status == 205)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the service manager learns when the reading begins and when it has ended`() async throws {
        try await withTemporaryDirectory { directory in
            let manager = try NotificationSocket(at: directory.path(of: "notify"))
            let file = try directory.write("{}", to: "serve.json")
            var environment = ProcessInfo.processInfo.environment
            environment["NOTIFY_SOCKET"] = directory.path(of: "notify")
            let words = ["serve", "--listen", "127.0.0.1:0", "--store", directory.path(of: "store"), "--config", file]
            try await withChildProcess(Bundlectl.path, words, environment: environment) { server in
                #expect(try await manager.next() == "READY=1")
                server.send(SIGHUP)
                let state = try await manager.next().split(separator: "\n")
                #expect(state.first == "RELOADING=1")
                let time = try #require(state.last?.split(separator: "=").last.flatMap { UInt64($0) })
                #expect(state.last == "MONOTONIC_USEC=\(time)" && time > 0)
                #expect(try await manager.next() == "READY=1")
                _ = try await server.terminate()
                #expect(try await manager.next() == "STOPPING=1")
            }
        }
    }

    @Test func `several signals at once do no harm`() async throws {
        try await serving("{}") { server in
            for _ in 0..<3 { server.process.send(SIGHUP) }
            try await server.waitForLog("read again: no change")
            let end = try await server.process.terminate()
            #expect(end.exitCode == 0)
        }
    }

    @Test func `without a file the signal ends the server, as it ends other programs`() async throws {
        try await withTemporaryDirectory { directory in
            try await Bundlectl(store: directory.path(of: "store")).serving { _, server in
                server.send(SIGHUP)
                let end = try await server.wait()
                #expect(end.exitCode != 0)
            }
        }
    }
}
