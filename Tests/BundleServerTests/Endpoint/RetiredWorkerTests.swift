import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServer

/// A service worker that a bundle left at a path removes itself once the path belongs to no bundle.
@Suite("A service worker where no bundle is served any more")
struct RetiredWorkerTests {
    private static let script = ["Service-Worker: script"]

    @Test(
        "is removed, where other requests get 404",
        arguments: [
            // The bundle mounted at the root has no such file, and another one may have been mounted there.
            (["shop=/"], "127.0.0.1", "/x/sw.js"), (["shop=/"], "kiosk.example", "/x/sw.js"),
            (["gone=/x"], "127.0.0.1", "/x/sw.js"), (["gone=/x"], "kiosk.example", "/x/sw.js"),
            // Its name was served there with other options.
            ([], "kiosk.example", "/shop/sw.js"),
            // Another bundle had this part of a mapped host.
            ([], "m.example.com", "/gone/sw.js"),
        ]
    )
    func retired(_ mounts: [String], _ host: String, _ path: String) async throws {
        try await withShop(mounts) { endpoint, _ in
            for way in RequestWay.allCases {
                try await endpoint.ask(way) { get async throws in
                    let worker = try await get(path, host, [("service-worker", "script")])
                    #expect(worker.status == 200)
                    #expect(worker.text.contains("unregister"))
                    #expect(worker["clear-site-data"] == nil)
                    #expect(try await get(path, host, []).status == 404)
                }
            }
        }
    }

    @Test("is kept where its bundle merely can't be served", arguments: ["/shop/none.js", "/shop/app.js"])
    func kept(_ path: String) async throws {
        try await withShop([]) { endpoint, _ in
            let worker = try await endpoint.get(path, host: "m.example.com", Self.script)
            #expect(!worker.text.contains("unregister"))
            let own = try await endpoint.get("/none.js", host: "shop.localhost", Self.script)
            #expect(!own.text.contains("unregister"))
        }
    }

    @Test("is kept while a damaged release may have the path")
    func damaged() async throws {
        try await withStore { store in
            try store.installShop()
            let indexes = store.path + "/indexes/"
            let sound = try FileManager.default.contentsOfDirectory(atPath: indexes)
            try store.install(
                #"{"name": "docs", "version": "1", "origins": [{"url": "https://m.example.com/docs/", "path": "/"}]}"#,
                ["index.html": "docs"]
            )
            for name in try FileManager.default.contentsOfDirectory(atPath: indexes) where !sound.contains(name) {
                try Data("damaged".utf8).write(to: URL(fileURLWithPath: indexes + name))
            }
            try await withEndpoint(try BundleStore(at: store.path)) { endpoint async throws in
                for path in ["/docs/sw.js", "/gone/sw.js"] {
                    let worker = try await endpoint.get(path, host: "m.example.com", Self.script)
                    #expect(!worker.text.contains("unregister"))
                }
            }
        }
    }

    @Test(
        "is removed at a mount whose origin doesn't have it either, and kept when that isn't known",
        arguments: [(404, true), (410, true), (500, false), (nil, false)] as [(Int?, Bool)]
    )
    func mounted(_ status: Int?, _ isRetired: Bool) async throws {
        try await withShop(["mapped=/"]) { endpoint, network in
            if let status {
                network.response(
                    "https://api.example.com/x/sw.js",
                    .init(code: status),
                    [.cacheControl: "no-store"],
                    ""
                )
            }
            let worker = try await endpoint.get("/x/sw.js", host: "kiosk.example", Self.script)
            #expect(worker.text.contains("unregister") == isRetired)
        }
    }

    /// Passes on an endpoint with a bundle that is mapped to `m.example.com` and one with its own origin; neither has a
    /// worker.
    private func withShop(
        _ mounts: [String],
        _ body: (RunningEndpoint, ScriptedTransport) async throws -> Void
    ) async throws {
        try await withStore { store in
            let network = ScriptedTransport()
            if mounts.contains(where: { $0.hasPrefix("mapped") }) {
                try store.install(
                    #"{"name": "mapped", "version": "1", "origins": [{"url": "https://api.example.com/", "path": "/"}]}"#,
                    ["index.html": "mapped"]
                )
            } else {
                let origins = mounts.isEmpty ? #"{"url": "https://m.example.com/shop/", "path": "/"}"# : ""
                try store.install(
                    #"{"name": "shop", "version": "1", "origins": [\#(origins)]}"#,
                    ["index.html": "shop", "app.js": "shop()"]
                )
            }
            func configure(_ configuration: inout BundleEndpoint.Configuration) {
                configuration.allowedHosts = [.named("kiosk.example")]
                configuration.addresses.mounts = mounts.compactMap(Mount.init)
            }
            try await withEndpoint(store, transport: network, configure: configure) { try await body($0, network) }
        }
    }
}
