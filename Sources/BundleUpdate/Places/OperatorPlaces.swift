import Foundation
import HTTPCore
import HTTPTypes

/// How the places are reached that an operator may name besides web servers: folders of this machine, object stores and registries. A value
/// type; safe to share between threads.
package struct OperatorPlaces: Sendable {
    /// Folders alone.
    package static let folders = OperatorPlaces(
        objectStore: { try S3Configuration(environment: [:]) },
        registry: { _ in nil }
    )

    /// How object stores are reached, by this machine's settings.
    package let objectStore: @Sendable () throws -> S3Configuration
    /// Gets the credential for a registry.
    package let registry: OCIClient.CredentialSource

    /// - Parameters:
    ///   - objectStore: Reads how object stores are reached; throws ``/BundleModel/BundleError`` with code `invalidArgument`.
    ///   - registry: Gets the credential for the registry of a reference; nil for none.
    package init(
        objectStore: @escaping @Sendable () throws -> S3Configuration,
        registry: @escaping OCIClient.CredentialSource
    ) {
        (self.objectStore, self.registry) = (objectStore, registry)
    }

    /// What reads the place of a feed; nil for one on a web server.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when this machine's settings for it are wrong.
    func reader(
        of feed: URL,
        over transport: any OriginTransport,
        userAgent: String
    ) throws -> (any PlaceReader)? {
        if let location = S3Location(ofFeed: feed) {
            return S3Reader(
                S3Client(location, configuration: try objectStore(), transport: transport, userAgent: userAgent)
            )
        }
        if let reference = OCIReference(feed: feed) {
            return OCIReader(OCIClient(reference, over: transport, userAgent: userAgent, credential: registry))
        }
        return FolderPlace(of: feed)
    }

    /// Whether a URL is one of a place's scheme; and if so, whether it leads to what is beside the feed, so that nothing else is read with
    /// this machine's files and credentials.
    ///
    /// - Returns: Nil for a URL of another scheme.
    static func isBeside(_ url: URL, feed: URL) -> Bool? {
        switch url.scheme?.lowercased() {
        case "file": FileURL(feed).map { FileURL(url)?.components(beside: $0) != nil } ?? false
        case "s3": S3Location(ofFeed: feed)?.key(of: url) != nil
        case "oci": OCIReference(feed: feed)?.title(of: url) != nil
        default: nil
        }
    }
}

/// Reads the files of a place in which releases are published, other than a web server: they are read as those of a server, with ranges and
/// conditions, so that a check, an update and a copy are the same everywhere.
///
/// Only an operator names one: what came over the network, or with a release, may not use this machine's files and credentials. Safe to
/// share between threads.
package protocol PlaceReader: Sendable {
    /// Whether a URL is one of the place's scheme: otherwise the network is asked.
    func reads(_ url: URL) -> Bool

    /// Responds to a GET: with 200, 206, 304, 404, 412 or 416.
    ///
    /// - Parameters:
    ///   - url: A file beside the feed.
    ///   - fields: `Range`, `If-Range`, `If-None-Match` and `If-Modified-Since`; others are ignored.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the place can't be reached, doesn't permit it, or the URL
    ///   isn't in the folder of the feed.
    func response(for url: URL, fields: HTTPFields) async throws -> OriginResponse
}
