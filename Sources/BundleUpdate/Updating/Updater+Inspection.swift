import BundleStore
import Foundation
import HTTPCore

extension Updater {
    /// Reads a signed feed as a device does that sees it for the first time, and installs nothing. The feed is trusted in this updater's
    /// store from then on, which should be one that is thrown away.
    ///
    /// - Parameters:
    ///   - url: The feed's URL, which an operator names.
    ///   - root: SHA-256 of the publisher's first root; nil for the one that is there.
    /// - Returns: Who has signed the feed, and until when.
    /// - Throws: ``/BundleModel/BundleError`` as ``install(feed:channel:root:options:progress:)`` does for the feed: with code `untrusted`
    ///   when it isn't signed, or a device would refuse it.
    package func inspect(feed url: URL, root: Digest? = nil) async throws -> TrustReport {
        let source = FeedSource(store: store, document: document.reading(place(of: url)), requiresTrust: true)
        let received = try await source.first(at: url, root: root)
        try received.trust?.pin(received.feed.name, in: store)
        guard let report = try TrustReport(of: received.feed.name, in: store) else {
            throw BundleError(.invalidFeed, "\(url.reported) isn't signed")
        }
        return report
    }
}
