import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes

@testable import BundleNetwork

/// A bundle with rules, a scripted network, and a responder in front of both.
struct RulingFixture {
    static let origin = "https://m.example.com/shop/"

    let network = ScriptedTransport()
    let clock = TestClock()
    let link: NetworkLink
    let responder: LayeredResponder
    private let rules: String
    private let store: BundleStore
    private let resolver: LiveResolver

    init(
        _ rules: String,
        in directory: TemporaryDirectory,
        isMetered: Bool = false,
        isDevelopment: Bool = false,
        isShared: Bool = false
    ) throws {
        self.rules = rules
        store = try BundleStore(at: directory.path, creating: true, now: clock.read)
        try Self.install("1.0.0", rules, in: store)
        resolver = LiveResolver(store)
        var limits = FetchLimits()
        limits.retries = .none
        link = NetworkLink(isMetered: isMetered)
        responder = LayeredResponder(
            resolver,
            store: store,
            transport: network,
            policy: CachePolicy(isShared: isShared),
            rules: NetworkRuling(CommonRules(), RuleConditions(isDevelopment: isDevelopment), link: link),
            limits: limits,
            clock: clock,
            now: clock.read
        )
    }

    /// Installs another version with the same rules.
    func install(_ version: String) throws {
        try Self.install(version, rules, in: store)
        try resolver.refresh()
    }

    private static func install(_ version: String, _ rules: String, in store: BundleStore) throws {
        let manifest = try BundleManifest.sample(
            "shop",
            version,
            #""origins": [{"url": "\#(origin)", "path": "/"}], "network": {"rules": \#(rules)}"#
        )
        try store.install(manifest, files: ["index.html": "entry", "mock.json": "{}"])
    }

    func publish(_ path: String, _ text: String, _ fields: HTTPFields = [.cacheControl: "max-age=60"]) {
        network.response(Self.origin + path, .ok, fields, text)
    }

    func get(
        _ path: String,
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get
    ) async throws -> Received {
        let request = HTTPRequest(
            method: method,
            scheme: nil,
            authority: "m.example.com",
            path: "/shop/\(path)",
            headerFields: fields
        )
        return try await Received(responder.respond(to: request))
    }

    /// Requests a path, and reads nothing of the body.
    func begin(_ path: String) async -> ServedResponse {
        let path = "/shop/\(path)"
        return await responder.respond(
            to: HTTPRequest(method: .get, scheme: nil, authority: "m.example.com", path: path)
        )
    }
}
