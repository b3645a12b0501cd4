import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// Where a device reads the feeds of publishers: a check, an update, a first installation and a repair get each feed here, from a
/// server, from a folder that an operator has named, or as the store has kept it. A value type; safe to share between threads.
struct FeedSource: Sendable {
    let store: BundleStore
    /// Fetches the feeds; it reads files if an operator has named where they are.
    let document: OriginDocument
    /// Whether each feed has to be signed, and not only those that are trusted by a root.
    var requiresTrust = false
    /// The roots that the program has, by which the feeds of bundles have to be trusted.
    var roots: [BundleName: PublisherRoot] = [:]
    /// Whether something of a feed may be installed. Otherwise a store that can't be written will do.
    var installs = true

    /// The feed that an installed bundle follows. A feed that was received before is asked for its changes. Max-age and the like
    /// are not considered, since somebody wants to know what is new. Of a bundle that is trusted by a root, the feed is verified by that
    /// root; a feed that says that it is signed, by the first one that there is.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - url: The feed's URL.
    ///   - isScheduled: Whether a clock asks: then not while the feed has to wait after a failure.
    /// - Throws: ``UpdatePostponement``; ``/BundleModel/BundleError`` as ``OriginDocument/document(at:conditions:limit:)`` does, and
    ///   with code `invalidFeed` when the feed is wrong or another bundle's, and `untrusted` when it isn't signed as it must be.
    func latest(of name: BundleName, at url: URL, isScheduled: Bool) async throws -> ReceivedFeed {
        let seen = try store.highestSequence(of: name, feed: url.absoluteString)
        var received = try await receive(name, url, isScheduled)
        // Another process may have seen a newer one since this was sent: then it is late, and not a feed that was set back.
        let seenNow = try store.highestSequence(of: name, feed: url.absoluteString)
        if received.trust == nil, seenNow != seen, UpdatePolicy.rejection(of: received.feed, seen: seenNow) != nil {
            received = try await receive(name, url, isScheduled)
        }
        return try Self.require(received, of: name)
    }

    /// The feed at a URL that may lead to something else, of any bundle.
    ///
    /// - Parameter root: SHA-256 of the first root by which the feed has to be trusted; nil for the bundle's, or the one that is there.
    /// - Throws: ``/BundleModel/BundleError`` as ``OriginDocument/bytes(of:limit:checking:)`` does, with code `invalidFeed` when
    ///   the feed is wrong, `untrusted` when it isn't signed as it must be, and `invalidArgument` when there is no feed.
    func first(at url: URL, root: Digest? = nil) async throws -> ReceivedFeed {
        guard root == nil else { return try await firstSigned(at: url, root: root) }
        let (bytes, location) = try await document.bytes(of: url, limit: Feed.maximumByteCount) { prefix, url in
            try FeedRecognition.requireBeginning(prefix, at: url)
        }
        // Only the name counts of a feed that has to be signed: it says which root the feed is trusted by.
        let received = try Self.accept(bytes, from: location)
        let name = received.feed.name
        if let anchor = try anchor(of: name) {
            return try await Self.require(verification(of: url, name).feed(of: name, by: anchor), of: name)
        }
        guard requiresTrust || received.feed.isSigned || roots[name] != nil else { return received }
        return try await firstSigned(at: url, root: roots[name]?.digest)
    }

    /// - Parameter root: SHA-256 of the first root; nil for the one that is there.
    private func firstSigned(at url: URL, root: Digest?) async throws -> ReceivedFeed {
        let received = try await verification(of: url).firstFeed(digest: root)
        let name = received.feed.name
        let anchor = try anchor(of: name)
        if let digest = anchor?.digest ?? roots[name]?.digest, digest != received.trust?.anchor {
            throw BundleError(
                .untrusted,
                "\(url.reported) is signed by another root than the one by which \(name) is trusted, which has SHA-256 "
                    + "\(digest); nothing of it is used",
                .endTrust(name)
            )
        }
        guard let anchor else { return received }
        // What was trusted before counts.
        return try await Self.require(verification(of: url, name).feed(of: name, by: anchor), of: name)
    }

    /// The whole feed of a bundle, at once, whatever was received before.
    ///
    /// - Throws: ``/BundleModel/BundleError`` as ``OriginDocument/bytes(of:limit:checking:)`` does, and with code `invalidFeed`
    ///   when the feed is wrong or another bundle's, and `untrusted` when it isn't signed as it must be.
    func whole(of name: BundleName, at url: URL) async throws -> ReceivedFeed {
        if let anchor = try anchor(of: name) {
            return try await Self.require(verification(of: url, name).feed(of: name, by: anchor), of: name)
        }
        let (bytes, location) = try await document.bytes(of: url, limit: Feed.maximumByteCount)
        return try Self.require(Self.accept(bytes, from: location), of: name)
    }

    private func receive(
        _ name: BundleName,
        _ url: URL,
        _ isScheduled: Bool
    ) async throws -> ReceivedFeed {
        try await PacedFetch(store: store, name: name, subject: .feed(url.absoluteString), isScheduled: isScheduled)
            .run(
                postponement: { $0.hasFailed ? .backingOff(until: $0.nextAt) : .notDue(until: $0.nextAt) },
                pauses: { FetchBackoff.pauses(afterFeed: $0, at: url) }
            ) {
                try await read(name, url)
            }
    }

    private func read(_ name: BundleName, _ url: URL) async throws -> ReceivedFeed {
        if let anchor = try anchor(of: name) {
            return try await verification(of: url, name).feed(of: name, by: anchor)
        }
        let root = roots[name]?.digest
        guard !requiresTrust, root == nil else { return try await verification(of: url).firstFeed(digest: root) }
        let received = try await read(name, url, unless: try? store.feedCopy(of: name, feed: url.absoluteString))
        return received.feed.isSigned ? try await verification(of: url).firstFeed(digest: nil) : received
    }

    /// By which root the feed of a bundle is trusted, the one that the program has included; nil when it isn't yet.
    private func anchor(of name: BundleName) throws -> TrustAnchor? {
        try roots[name].map { try store.trust(name, shipped: $0) } ?? store.trustAnchor(of: name)
    }

    /// - Parameter name: The bundle, as far as that is known.
    private func verification(of url: URL, _ name: BundleName? = nil) -> FeedVerification {
        FeedVerification(
            store: store,
            document: document,
            url: url,
            shipped: name.flatMap { roots[$0] },
            installs: installs
        )
    }

    /// - Parameter copy: The feed as it was received before; nil to receive it again.
    private func read(
        _ name: BundleName,
        _ url: URL,
        unless copy: FeedCopy?
    ) async throws -> ReceivedFeed {
        let (response, location) = try await document.document(
            at: url,
            conditions: copy?.conditions ?? [:],
            limit: Feed.maximumByteCount
        )
        switch response {
        case .unchanged:
            // The validators of another URL mean nothing to this one.
            guard let copy, copy.isFrom(location.absoluteString) else { return try await read(name, url, unless: nil) }
            return try Self.accept(copy.content, from: location)
        case .content(let bytes, let fields):
            let received = try Self.accept(bytes, from: location)
            let new = FeedCopy(bytes, fields, from: location, receivedAt: store.now())
            if new != copy { try? store.keep(new, of: name, feed: url.absoluteString) }
            return received
        }
    }

    /// The bytes of every feed that needn't be signed pass through this function before they are parsed, wherever they were read,
    /// those that the store has kept included. Those of a signed one pass through ``FeedVerification``.
    ///
    /// - Parameter location: Where the bytes came from, after redirects.
    private static func accept(_ bytes: [UInt8], from location: URL) throws(BundleError) -> ReceivedFeed {
        ReceivedFeed(feed: try Feed.parse(bytes, baseURL: location), location: location, trust: nil)
    }

    private static func require(_ received: ReceivedFeed, of name: BundleName) throws(BundleError) -> ReceivedFeed {
        guard received.feed.name == name else {
            throw BundleError(
                .invalidFeed,
                "\(received.location.reported) is the feed of \(received.feed.name), not of \(name); correct the URL"
            )
        }
        return received
    }
}

/// A feed, and where it came from. A value type; safe to share between threads.
struct ReceivedFeed: Sendable {
    let feed: Feed
    /// The URL that served it, after redirects.
    let location: URL
    /// By what it is trusted; nil when it needn't be signed.
    let trust: FeedTrust?
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
