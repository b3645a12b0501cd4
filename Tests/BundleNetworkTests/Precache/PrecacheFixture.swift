import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes

@testable import BundleNetwork

/// A bundle that names URLs to fetch ahead, a scripted network and clocks.
struct PrecacheFixture: Sendable {
    static let origin = "https://m.example.com/shop/"
    static let name = "shop"

    let store: BundleStore
    let network = ScriptedTransport()
    let clock: TestClock
    let responder: LayeredResponder
    var limits = PrecacheLimits()

    init(
        _ paths: [String],
        in directory: TemporaryDirectory,
        rules: String = "[]",
        maximumByteCount: Int64 = 1_000,
        clock: TestClock = TestClock()
    ) throws {
        self.clock = clock
        store = try BundleStore(at: directory.path(of: "store"), creating: true, now: clock.read)
        let store = store
        var limits = FetchLimits()
        limits.retries = .none
        responder = LayeredResponder(
            LiveResolver(store),
            store: store,
            transport: network,
            policy: CachePolicy(isShared: false),
            maximumCachedByteCount: maximumByteCount,
            limits: limits,
            clock: clock,
            now: clock.read
        )
        try install("1", paths, rules: rules)
    }

    func install(_ version: String, _ paths: [String], rules: String = "[]") throws {
        let urls = paths.map { #""\#($0.hasPrefix("https:") ? "" : Self.origin)\#($0)""# }.joined(separator: ", ")
        let manifest = try BundleManifest.sample(
            Self.name,
            version,
            #""origins": [{"url": "\#(Self.origin)", "path": "/"}, {"url": "https://cdn.example/", "path": "/cdn/"}], "#
                + #""network": {"precache": [\#(urls)], "rules": \#(rules)}"#
        )
        try store.install(manifest, files: ["index.html": "entry"])
    }

    func publish(
        _ path: String,
        _ text: String = "x",
        _ fields: HTTPFields = [.cacheControl: "max-age=60"],
        status: HTTPResponse.Status = .ok
    ) {
        network.response(path.hasPrefix("https:") ? path : Self.origin + path, status, fields, text)
    }

    @discardableResult
    func run(within limit: Duration = .seconds(300), isForced: Bool = false) async -> PrecacheReport? {
        let precacher = Precacher(responder.resolver, responder.rules, responder.fallback, limits) { 0.5 }
        return await precacher.run(nil, within: limit, isForced: isForced).first
    }

    /// The paths that were asked for, sorted.
    var requested: [String] { network.requests.compactMap(\.path).sorted() }
}
