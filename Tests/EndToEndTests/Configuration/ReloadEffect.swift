import BundleTesting
import Foundation
import Testing

/// What the change of one option does to a running server.
struct ReloadEffect {
    /// The configuration at the start, and the one of which it is read again.
    let before: String
    let after: String
    /// Options of the command line.
    var options: [String] = []
    /// What the log says when it was read again; nil for nothing.
    var log: String? = "the configuration was read again: "
    /// Called before the change.
    var first: (ConfiguredServer) async throws -> Void = { _ in }
    /// Called after it.
    let then: (ConfiguredServer) async throws -> Void
}

extension ReloadEffect {
    /// For options that need nothing but a bundle named shop, by the option's name.
    static var ofServing: [String: ReloadEffect] {
        [
            "header": of(#"{"header": ["X-A: 1"]}"#, #"{"header": ["X-A: 2"]}"#) { try await $0.get("/shop/")["x-a"] },
            "cors": of("{}", #"{"cors": ["https://a.example"]}"#) {
                try await $0.get("/shop/", "-H", "Origin: https://a.example")["access-control-allow-origin"]
            },
            "cross-origin-isolated": of("{}", #"{"crossOriginIsolated": true}"#) {
                try await $0.get("/shop/")["cross-origin-opener-policy"]
            },
            "allow-host": of("{}", #"{"allowHost": ["kiosk.example"]}"#) {
                "\(try await $0.get("/shop/", "-H", "Host: kiosk.example").status)"
            },
            "mount": of("{}", #"{"mount": ["shop=/app/"]}"#) { try await $0.get("/app/").text },
            "host": of("{}", #"{"host": ["shop=kiosk.example"]}"#) {
                try await $0.get("/", "-H", "Host: kiosk.example").text
            },
            "public-url": of("{}", #"{"publicUrl": ["http://kiosk.example/kiosk/"]}"#) {
                "\(try await $0.get("/shop/", "-H", "Host: kiosk.example").status)"
            },
            "shared-origin": of("{}", #"{"sharedOrigin": true}"#) {
                "\(try await $0.get("/shop/", "-H", "Sec-Fetch-Mode: navigate").status)"
            },
            "network-rules": of(#"{"development": true}"#, #"{"development": true, "networkRules": "RULES"}"#) {
                try await mocked($0)
            },
            "development": of(
                #"{"networkRules": "RULES"}"#,
                #"{"networkRules": "RULES", "development": true}"#,
                observe: mocked
            ),
            "metered": of("{}", #"{"metered": true}"#, ["--admin", "unix:ADMIN"]) { server in
                try await server.get("http://localhost/metrics", "--unix-socket", server.path("admin.sock")).text
                    .split(separator: "\n").first { $0.hasPrefix("bundlectl_network_metered") }.map(String.init)
            },
            "verbose": logged(#"{"verbose": true}"#),
            "log-level": logged(#"{"logLevel": "debug"}"#),
            "log-format": ReloadEffect(
                before: "{}",
                after: #"{"logFormat": "json"}"#,
                log: #""message":"logFormat is json now""#
            ) {
                _ in
            },
            "quiet": ReloadEffect(before: "{}", after: #"{"quiet": true, "header": ["X-A: 1"]}"#, log: nil) { server in
                // The log doesn't say that it was read.
                try await server.wait(for: "/shop/") { $0["x-a"] == "1" }
                #expect(!server.process.errorOutput.contains("quiet is true"))
                #expect(try await !server.process.terminate().errorOutput.contains("shutting down"))
            },
            "scrub-every": ReloadEffect(before: "{}", after: #"{"scrubEvery": "1s"}"#) {
                try await $0.waitForLog("read the store again")
            },
        ]
    }

    /// One of which something that can be asked is different afterwards.
    private static func of(
        _ before: String,
        _ after: String,
        _ options: [String] = [],
        observe: @escaping (ConfiguredServer) async throws -> String?
    ) -> ReloadEffect {
        // Asked twice before: the second time the ready response is sent.
        let earlier = Earlier()
        return ReloadEffect(
            before: before,
            after: after,
            options: options,
            first: { server async throws in
                earlier.value = try await observe(server)
                #expect(try await observe(server) == earlier.value)
            },
            then: { server async throws in #expect(try await observe(server) != earlier.value) }
        )
    }

    private final class Earlier {
        var value: String?
    }

    private static func mocked(_ server: ConfiguredServer) async throws -> String? {
        "\(try await server.get("/shop/api/a").status)"
    }

    private static func logged(_ after: String) -> ReloadEffect {
        ReloadEffect(
            before: "{}",
            after: after,
            first: { server in
                _ = try await server.get("/shop/?before")
            },
            then: { server in
                _ = try await server.get("/shop/?after")
                try await server.waitForLog("layer=active")
                #expect(server.process.errorOutput.contains("/shop/?after"))
                #expect(!server.process.errorOutput.contains("/shop/?before"))
            }
        )
    }
}
