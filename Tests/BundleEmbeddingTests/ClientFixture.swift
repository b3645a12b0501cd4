import BundleEmbedding
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes

/// A client of a small store on a scripted network.
struct ClientFixture: Sendable {
    static let origin = "https://m.example.com/shop/"
    static let feed = "https://get.example.com/shop/feed.json"
    static let name = BundleName("shop")

    let directory: TemporaryDirectory
    let network: ScriptedTransport
    let client: BundleClient

    /// - Parameters:
    ///   - local: The version that is installed; nil for none.
    ///   - clock: The clock of the client.
    init(
        in directory: TemporaryDirectory,
        local: String? = "1.0.0",
        network: ScriptedTransport = ScriptedTransport(),
        isOffline: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        _ configure: (inout BundleClient.Configuration) -> Void = { _ in }
    ) throws {
        self.directory = directory
        self.network = network
        var configuration = BundleClient.Configuration()
        configuration.retries = .none
        configuration.fetchLimits.fallbackTimeout = .seconds(60)
        configure(&configuration)
        client = try BundleClient(
            at: directory.path(of: "store"),
            transport: isOffline ? nil : network,
            configuration: configuration,
            clock: clock
        )
        if let local { try install(local) }
    }

    /// Installs a version behind the client's back.
    func install(_ version: String, files: [String: String] = ["index.html": "page", "app.js": "script"]) throws {
        let manifest = try BundleManifest.sample(
            "shop",
            version,
            #""origins": [{"url": "\#(Self.origin)", "path": "/"}], "feed": "\#(Self.feed)""#
        )
        try client.store.install(manifest, files: files)
        client.refresh()
    }

    /// Writes a zip of a version and returns its path.
    func archive(_ version: String, folder: String = "") throws -> String {
        let manifest =
            #"{"name": "shop", "version": "\#(version)", "origins": [{"url": "\#(Self.origin)", "path": "/"}], "feed": "\#(Self.feed)"}"#
        let zip = ZipFixture([
            ZipFixtureEntry("\(folder)index.html", Array(version.utf8)),
            ZipFixtureEntry("\(folder)bundle.json", Array(manifest.utf8)),
        ])
        return try directory.write(zip.bytes, to: "shop-\(version).zip")
    }

    /// Publishes a version in the feed.
    func publish(_ version: String) throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: archive(version))))
        let source = "https://get.example.com/shop/shop-\(version).zip"
        network.response(source, file: bytes)
        network.response(
            Self.feed,
            .ok,
            [:],
            #"{"name": "shop", "versions": [{"version": "\#(version)", "src": "\#(source)", "size": \#(bytes.count), "sha256": "\#(Digest(of: bytes))"}]}"#
        )
    }

    /// Loads a URL: status, layer and content.
    func load(_ url: String, isPage: Bool = false) async throws -> String {
        try await Self.text(client.load(url, isPage: isPage))
    }

    static func text(_ response: ServedResponse) async throws -> String {
        let text = String(decoding: try await response.bytes(ofAnyStatus: true), as: UTF8.self)
        return "\(response.head.status.code) \(response.source.layer) \(text)"
    }

    /// A request for an absolute URL.
    static func request(
        _ url: String,
        _ method: HTTPRequest.Method = .get,
        _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        let rest = url.drop { $0 != "/" }.dropFirst(2)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        return HTTPRequest(
            method: method,
            scheme: String(url.prefix { $0 != ":" }),
            authority: String(rest[..<slash]),
            path: String(rest[slash...]),
            headerFields: fields
        )
    }
}
