import BundleModel
import BundleTesting
import Foundation
import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app: a store, its client, an origin on this machine, and sessions that load by the client.
struct LoadingFixture: Sendable {
    let client: BundleClient
    let origin: OriginServer
    let folder: String

    /// A configuration whose sessions load by the client, and keep cookies of their own.
    func configuration(_ options: LoadingOptions = LoadingOptions()) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        BundleURLProtocol.install(client, in: configuration, options: options)
        return configuration
    }

    /// A session without a delegate.
    func session(_ options: LoadingOptions = LoadingOptions()) -> URLSession {
        URLSession(configuration: configuration(options))
    }

    /// A URL below the bundle's origin.
    func url(_ path: String) -> URL { URL(string: "\(origin.baseURL)/shop/\(path)") ?? URL(fileURLWithPath: "/") }

    func request(_ path: String, _ change: (inout URLRequest) -> Void = { _ in }) -> URLRequest {
        var request = URLRequest(url: url(path))
        change(&request)
        return request
    }

    /// Installs another version of the bundle.
    func install(_ version: String, _ files: [String: String], members: String = "") throws {
        let origins = #""origins": [{"url": "\#(origin.baseURL)/shop/", "path": "/"}]"#
        let manifest = try BundleManifest.sample("shop", version, members.isEmpty ? origins : "\(origins), \(members)")
        try client.store.install(manifest, files: files) { path, _ in
            switch path.description.split(separator: ".").last {
            case "html": "text/html; charset=utf-8"
            case "json": "application/json"
            default: "application/octet-stream"
            }
        }
        client.refresh()
    }
}

/// Lends an app whose bundle has these files.
func withLoading(
    _ files: [String: String] = ["index.html": "<p>shop</p>"],
    members: String = "",
    transport: (any OriginTransport)? = URLSessionTransport(),
    _ configure: (inout BundleClient.Configuration) -> Void = { _ in },
    _ body: (LoadingFixture) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        try await withOriginServer { origin in
            var configuration = BundleClient.Configuration()
            configuration.retries = .none
            configuration.fetchLimits.fallbackTimeout = .seconds(60)
            configuration.survivesFaults = false
            configure(&configuration)
            let path = folder.path(of: "store")
            let client = try BundleClient(at: path, transport: transport, configuration: configuration)
            let fixture = LoadingFixture(client: client, origin: origin, folder: folder.path(of: ""))
            if !files.isEmpty { try fixture.install("1.0.0", files, members: members) }
            try await body(fixture)
            client.close()
        }
    }
}

extension URLSession {
    /// The text of a response, and the response.
    func text(_ request: URLRequest) async throws -> (text: String, response: HTTPURLResponse) {
        let (data, response) = try await data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (String(decoding: data, as: UTF8.self), response)
    }

    func text(_ url: URL) async throws -> (text: String, response: HTTPURLResponse) {
        try await text(URLRequest(url: url))
    }
}
