import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes

/// A publisher's server with the given files.
final class ScriptedFeeds: OriginTransport {
    private struct State: Sendable {
        var files: [String: [UInt8]] = [:]
        var requested: [String] = []
        var hanging: Set<String> = []
    }

    private let state = Monitor(State())

    var requested: [String] { state.state.requested }

    /// Waits until a path has been requested.
    func waitForRequest(_ path: String) async throws {
        try await state.wait(for: "a request for \(path)", deadline: .seconds(60)) {
            $0.requested.contains(path) ? () : nil
        }
    }

    /// How often the archive was requested.
    var downloads: Int { requested.count { $0 == "/shop.tar" } }

    func set(_ path: String, _ content: [UInt8]) {
        state.update { $0.files[path] = content }
    }

    /// Has requests for a path wait until they are cancelled.
    func hang(_ path: String) {
        state.update { _ = $0.hanging.insert(path) }
    }

    func remove(_ path: String) {
        state.update { $0.files[path] = nil }
    }

    /// Offers version 1.1.0 of the shop.
    ///
    /// - Parameter origin: The URL that it claims; nil for none.
    func publishUpdate(claiming origin: String? = nil) {
        let feed = "https://m.example.com/feed.json"
        let origins = origin.map { #"{"url": "\#($0)", "path": "/"}"# } ?? ""
        let manifest = #"{"name": "shop", "version": "1.1.0", "origins": [\#(origins)], "feed": "\#(feed)"}"#
        let archive = TarFixture([
            TarFixtureEntry("bundle.json", Array(manifest.utf8)), TarFixtureEntry("index.html", Array("new".utf8)),
        ])
        offer(archive.bytes)
    }

    /// Offers an archive as version 1.1.0 of the shop.
    func offer(_ archive: [UInt8]) {
        set("/shop.tar", archive)
        set(
            "/feed.json",
            Array(
                """
                {"name": "shop", "versions": [{"version": "1.1.0", "src": "shop.tar", "size": \(archive.count),
                 "sha256": "\(Digest(of: archive).hex)"}]}
                """.utf8
            )
        )
    }

    func send(_ call: OriginCall) async throws -> OriginResponse {
        let path = call.request.path ?? ""
        let content = state.update { state in
            state.requested.append(path)
            return state.files[path]
        }
        if state.state.hanging.contains(path) { try await state.wait(while: { $0.hanging.contains(path) }) }
        guard let content else { throw BundleError(.networkUnavailable, "could not reach m.example.com") }
        let fields: HTTPFields = [.contentLength: String(content.count)]
        return OriginResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: BodyStream(content))
    }
}
