import Foundation
import HTTPCore
import HTTPTypes

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
