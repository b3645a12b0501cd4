import BundleModel
import BundleStore
import BundleTrust
import Foundation
import HTTPCore

/// Fetches a signed feed with what its publisher has signed, in the order of TUF's workflow. Nothing of the feed is parsed before it is
/// verified. A value type; safe to share between threads.
struct FeedVerification: Sendable {
    let store: BundleStore
    /// Fetches the documents and the feed.
    let document: OriginDocument
    /// The feed's URL.
    let url: URL
    /// The root that the program has for the bundle; nil for none.
    var shipped: PublisherRoot?
    /// Whether something of the feed may be installed: then what is trusted has to be written first.
    var installs = true

    /// The feed of a bundle that is trusted by a root already. Where there is no news, and the feed was kept, the feed isn't fetched.
    ///
    /// - Throws: ``/BundleModel/BundleError`` as ``OriginDocument/document(at:conditions:limit:)`` does; with code `untrusted` when
    ///   the feed isn't signed as it must be, with `TrustError` as the cause; `invalidFeed` when it is, and is wrong; `storeDamaged` when
    ///   what is trusted can't be read.
    func feed(of name: BundleName, by anchor: TrustAnchor) async throws -> ReceivedFeed {
        let copy = try? store.feedCopy(of: name, feed: url.absoluteString)
        let verified = try await verifying {
            let keeper = try CatalogKeeper(store, name, anchor: anchor.digest, shipped: shipped, installs: installs)
            let root = keeper.rootVersion
            // Those that were followed count also after a refusal.
            defer {
                if keeper.rootVersion > root { UpdateJournal(store: store).followed(keeper.rootVersion, of: name) }
            }
            return try await verify(keeper, copy?.isFrom(url.absoluteString) == true ? copy : nil)
        }
        let new = FeedCopy(
            location: verified.location.absoluteString,
            entityTag: nil,
            lastModified: nil,
            content: verified.bytes
        )
        if new != copy { try? store.keep(new, of: name, feed: url.absoluteString) }
        return try received(verified, by: anchor.digest, pinning: nil)
    }

    /// A feed of a bundle that is trusted by no root yet.
    ///
    /// - Parameter digest: SHA-256 of the first root; nil to trust the one that is there.
    /// - Throws: As ``feed(of:by:)``.
    func firstFeed(digest: Digest?) async throws -> ReceivedFeed {
        try await verifying {
            let keeper = try await FirstUseKeeper(firstIn: metadata, digest: digest)
            let verified = try await verify(keeper, nil)
            let pinning = TrustPinning(isFirstUse: digest == nil, documents: keeper.documents)
            return try received(verified, by: keeper.anchor, pinning: pinning)
        }
    }

    private var metadata: FeedMetadata { FeedMetadata(feed: url, document: document) }

    /// - Parameter copy: The feed as it was kept, from the same URL.
    private func verify(_ keeper: any MetadataKeeper, _ copy: FeedCopy?) async throws -> VerifiedFeed {
        try await VerifiedFeed(
            at: url,
            document,
            metadata,
            keeper,
            at: TrustTime.clock(of: store),
            root: shipped?.version ?? 1,
            unless: copy
        )
    }

    private func received(
        _ verified: VerifiedFeed,
        by anchor: Digest,
        pinning: TrustPinning?
    ) throws(BundleError) -> ReceivedFeed {
        let trust = FeedTrust(
            anchor: anchor,
            state: verified.state,
            targets: verified.targets,
            pinning: pinning
        )
        let feed = try Feed.parse(verified.bytes, baseURL: verified.location, trust: trust)
        return ReceivedFeed(feed: feed, location: verified.location, trust: trust)
    }

    private func verifying<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await VerifiedFeed.retrying(body)
        } catch let error as TrustError {
            throw BundleError(
                .untrusted,
                "\(url.reported), which has to be signed, isn't trusted: \(error); nothing of it is used",
                cause: error
            )
        }
    }
}
