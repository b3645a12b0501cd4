import Foundation
import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The shop of an app: pages that open with or without a network.
struct Shop {
    let client: BundleClient

    init(folder: URL) throws {
        client = try BundleClient(at: folder)
    }

    /// Installs what is shipped with the app, unless the store has it already or something newer.
    func prepare(shipped archive: URL) async throws {
        try await client.seed(archive: archive)
    }

    /// The content and the media type of a page, a script, an image; without a network also of the bundle's offline page.
    func load(_ url: URL) async throws -> (content: Data, mediaType: String) {
        let response = try await client.load(url, isPage: true)
        let mediaType = response.head.headerFields[.contentType] ?? "application/octet-stream"
        return (try await response.data(ofAnyStatus: true), mediaType)
    }

    /// A session whose requests for the shop's URLs are loaded in the same way.
    func session() -> URLSession {
        let settings = URLSessionConfiguration.default
        BundleURLProtocol.install(client, in: settings)
        return URLSession(configuration: settings)
    }
}
