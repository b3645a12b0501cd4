import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// Asks for the feed of a bundle: for its changes, if it was received before. Max-age and the like are not considered, since
/// somebody wants to know what is new.
struct FeedRequest {
    let store: BundleStore
    let document: OriginDocument
    /// The bundle.
    let name: BundleName
    /// The feed's URL.
    let url: URL
    /// Whether it is asked by the clock: then not while it has to wait after a failure.
    let isScheduled: Bool

    private var address: String { url.absoluteString }

    /// The feed, and the URL that served it.
    ///
    /// - Throws: ``UpdatePostponement``, and ``/BundleModel/BundleError`` as ``OriginDocument`` and
    ///   ``Feed/parse(_:baseURL:)`` do.
    func send() async throws -> (feed: Feed, location: URL) {
        let seen = try store.highestSequence(of: name, feed: address)
        let received = try await receive()
        // Another process may have seen a newer one since this was sent: then it is late, and not a feed that was set back.
        let seenNow = try store.highestSequence(of: name, feed: address)
        guard seenNow != seen, UpdatePolicy.rejection(of: received.feed, seen: seenNow) != nil else { return received }
        return try await receive()
    }

    private func receive() async throws -> (feed: Feed, location: URL) {
        try await PacedFetch(store: store, name: name, subject: .feed(address), isScheduled: isScheduled).run(
            postponement: UpdatePostponement.backingOff,
            pauses: { FetchBackoff.pauses(afterFeed: $0, at: url) }
        ) {
            try await read(unless: try? store.feedCopy(of: name, feed: address))
        }
    }

    /// - Parameter copy: The feed as it was received before; nil to receive it again.
    private func read(unless copy: FeedCopy?) async throws -> (feed: Feed, location: URL) {
        let (response, location) = try await document.document(
            at: url,
            conditions: copy?.conditions ?? [:],
            limit: Feed.maximumByteCount
        )
        switch response {
        case .unchanged:
            // The validators of another URL mean nothing to this one.
            guard let copy, copy.isFrom(location.absoluteString) else { return try await read(unless: nil) }
            return (try Feed.parse(copy.content, baseURL: location), location)
        case .content(let bytes, let fields):
            let feed = try Feed.parse(bytes, baseURL: location)
            let new = FeedCopy(bytes, fields, from: location, receivedAt: store.now())
            if new != copy { try? store.keep(new, of: name, feed: address) }
            return (feed, location)
        }
    }
}

extension FeedCopy {
    /// The longest validator in bytes that is sent back.
    private static let maximumValidatorByteCount = 1_024
    /// How much older than the response a modification has to be in seconds: the feed may have been changed twice in the
    /// second that Last-Modified tells (RFC 9110 §8.8.2.2).
    private static let leastAge: TimeInterval = 60

    /// Nil when a response has nothing by which its server can be asked whether the feed has changed.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - now: When it was received.
    init?(_ content: [UInt8], _ fields: HTTPFields, from location: URL, receivedAt now: Date) {
        let entityTag = Self.validator(fields[values: .eTag].first)
        let lastModified = fields.date(.lastModified, receivedAt: now).flatMap { modified in
            let sent = fields.date(.date, receivedAt: now) ?? now
            return sent.timeIntervalSince(modified) >= Self.leastAge
                ? Self.validator(fields[values: .lastModified].first) : nil
        }
        guard entityTag != nil || lastModified != nil else { return nil }
        self.init(
            location: location.absoluteString,
            entityTag: entityTag,
            lastModified: lastModified,
            content: content
        )
    }

    /// The fields of a request for the feed if it has changed (RFC 9110 §13.1.2, §13.1.3).
    var conditions: HTTPFields {
        var fields = HTTPFields()
        fields[.ifNoneMatch] = entityTag
        fields[.ifModifiedSince] = lastModified
        return fields
    }

    private static func validator(_ value: String?) -> String? {
        value.flatMap { !$0.isEmpty && $0.utf8.count <= maximumValidatorByteCount ? $0 : nil }
    }
}
