import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes

/// A responder in front of a small bundle, a scripted network and a clock that stands still.
struct FallbackFixture: Sendable {
    static let origin = "https://m.example.com/shop/"

    let directory: TemporaryDirectory
    let store: BundleStore
    let network = ScriptedTransport()
    let clock: TestClock
    let resolver: LiveResolver
    let responder: LayeredResponder
    let offline: LayeredResponder

    init(
        in directory: TemporaryDirectory,
        isShared: Bool = true,
        maximumByteCount: Int64 = 1_000,
        fallbackTimeout: Duration = .seconds(60),
        isMetered: Bool = false
    ) throws {
        let clock = TestClock()
        self.directory = directory
        self.clock = clock
        store = try BundleStore(at: directory.path, creating: true, now: clock.read)
        try Self.install("1.0.0", in: store)
        let (store, resolver) = (store, LiveResolver(store))
        self.resolver = resolver
        var limits = FetchLimits()
        limits.fallbackTimeout = fallbackTimeout
        limits.retries = .none
        // Whether a body has begun to arrive is a matter of its length alone.
        limits.startTime = .seconds(3_600)
        func responder(_ transport: ScriptedTransport?) -> LayeredResponder {
            LayeredResponder(
                resolver,
                store: store,
                transport: transport,
                policy: CachePolicy(isShared: isShared),
                maximumCachedByteCount: maximumByteCount,
                rules: NetworkRuling(CommonRules(), RuleConditions(isMetered: isMetered)),
                limits: limits,
                now: clock.read
            )
        }
        self.responder = responder(network)
        offline = responder(nil)
    }

    /// Installs a version and lets the responder detect it.
    func install(_ version: String) throws {
        try Self.install(version, in: store)
        try resolver.refresh()
    }

    private static func install(_ version: String, in store: BundleStore) throws {
        let manifest = try BundleManifest.sample(
            "shop",
            version,
            #""origins": [{"url": "\#(origin)", "path": "/"}], "offlinePage": "offline.html""#
        )
        let files = ["index.html": "entry", "offline.html": "you are offline", "docs/index.html": "docs"]
        try store.install(manifest, files: files, mediaType: { MediaType.detect($0, $1, overrides: [:]).string })
        let bare = try BundleManifest.sample("bare", "1", #""origins": []"#)
        try store.install(bare, files: ["a.js": "a"])
    }

    /// Requests a path under the origin.
    func get(
        _ path: String,
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get,
        offline isOffline: Bool = false
    ) async throws -> Received {
        let request = HTTPRequest(
            method: method,
            scheme: nil,
            authority: "m.example.com",
            path: "/shop/\(path)",
            headerFields: fields
        )
        return try await Received((isOffline ? offline : responder).respond(to: request))
    }

    /// Serves a text at a path under the origin.
    func publish(
        _ path: String,
        _ text: String,
        _ fields: HTTPFields = [.cacheControl: "max-age=60"],
        status: HTTPResponse.Status = .ok
    ) {
        network.response(Self.origin + path, status, fields, text)
    }

    var cachedURLs: [String] {
        get throws { try store.cachedResponses().map(\.url) }
    }
}

/// A response with its body read to the end.
struct Received: Sendable {
    let head: HTTPResponse
    let bytes: [UInt8]
    let layer: ResponseSource.Layer

    init(_ response: ServedResponse) async throws {
        head = response.head
        layer = response.source.layer
        switch response {
        case .complete(let complete, _): bytes = complete.body.array
        case .streaming(_, let body, _):
            var bytes: [UInt8] = []
            for try await chunk in body { bytes += chunk }
            self.bytes = bytes
        case .switching: throw CancellationError()
        }
    }

    var status: Int { head.status.code }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var cacheStatus: String? { head.headerFields[.cacheStatus] }

    subscript(_ name: HTTPField.Name) -> String? { head.headerFields[name] }
}

extension HTTPField.Name {
    static let cacheStatus = HTTPField.Name("Cache-Status")!
    static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
}
