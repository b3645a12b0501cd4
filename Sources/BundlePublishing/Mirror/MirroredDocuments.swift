import BundleStore
import BundleTrust
import BundleUpdate
import Foundation

/// Signs a copy for longer than the feed itself is signed for. One task uses it.
package struct MirrorSigning {
    /// Have the online key.
    let keys: SigningKeys
    /// For how long, in seconds.
    let life: TimeInterval

    /// - Parameters:
    ///   - keys: Have the online key.
    ///   - life: For how long devices take the copy, in seconds; at most until the root and the targets expire.
    package init(_ keys: SigningKeys, for life: TimeInterval) {
        (self.keys, self.life) = (keys, life)
    }

    /// Checks that a feed isn't older than it was when the keys signed it last: what was revoked since would be signed for longer.
    ///
    /// - Throws: As ``SignedVersion/check(_:_:)``.
    func check(_ published: PublishedFeed, from origin: FeedOrigin) throws {
        guard let signatures = published.signatures, let first = signatures.roots.first else { return }
        // The keys may be in a folder that has the first root alone.
        var roots = try RootChain(first: first)
        for root in signatures.roots.dropFirst() { try roots.append(root) }
        try lastVersion(of: origin).check(signatures.state.snapshot?.version ?? 0, roots)
    }

    /// Remembers what was signed.
    func keep(_ published: PublishedFeed, from origin: FeedOrigin) {
        guard let state = published.signatures?.state, let version = state.snapshot?.version else { return }
        lastVersion(of: origin).keep(version, root: state.root.version)
    }

    private func lastVersion(of origin: FeedOrigin) -> SignedVersion {
        guard let feed = FileURL(origin.url) else {
            return SignedVersion(of: origin.url.absoluteString, keys: keys.folder.path)
        }
        let folder = URL(fileURLWithPath: feed.path).deletingLastPathComponent().path
        return SignedVersion(of: FeedFolder(folder), keys: keys.folder.path)
    }
}

extension SigningKeys {
    /// By what a feed of these keys has to be trusted.
    ///
    /// - Throws: As ``requiredRoots()``.
    package var anchor: FeedOrigin.Anchor {
        get throws(BundleError) {
            .roots(try requiredRoots().documents)
        }
    }
}

/// What is signed in a copy of a feed. A value type; safe to share between threads.
struct MirroredDocuments: Sendable {
    /// The roots from the first on.
    let roots: [[UInt8]]
    /// The documents below the timestamp, by the names of their files: the snapshot comes before what it lists by the online key. The feed's
    /// copy with its digest is the last.
    let documents: [(name: String, bytes: [UInt8])]
    let timestamp: [UInt8]
    /// When devices take it no more.
    let expiry: Date
    /// Whether that is earlier than it was to be, since the root or the targets expire.
    let isExpiryBounded: Bool
    /// Whether the timestamp and the snapshot say which bytes they lead to.
    let pinsContent: Bool

    /// The documents of a feed as they are, or those of the online key made again. These have the versions of the feed's own, so that
    /// a device that has followed the copy takes the feed's next version.
    ///
    /// - Returns: Nil for a feed that isn't signed.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is nothing to sign for, or the key is missing;
    ///   `invalidFeed` when devices would refuse what is signed.
    init?(of published: PublishedFeed, signing: MirrorSigning?, at now: Date) throws {
        guard let signatures = published.signatures else {
            guard signing == nil else {
                throw BundleError(
                    .invalidArgument,
                    "\(published.location.absoluteString) isn't signed, and its copy needs no signature; leave out for how long it is "
                        + "valid"
                )
            }
            return nil
        }
        guard let signing else {
            self.init(copying: signatures, of: published.bytes)
            return
        }
        try self.init(signing: signatures, of: published.bytes, signing, at: now)
        try verify(published.bytes, at: now)
    }

    private init(copying signatures: PublishedFeed.Signatures, of feed: [UInt8]) {
        roots = signatures.roots
        documents = signatures.documents + [(MetadataFile.copyName(of: feed), feed)]
        timestamp = signatures.timestamp
        (expiry, isExpiryBounded) = (signatures.state.earliestExpiry, false)
        pinsContent = true
    }

    private init(
        signing signatures: PublishedFeed.Signatures,
        of feed: [UInt8],
        _ signing: MirrorSigning,
        at now: Date
    ) throws {
        let state = signatures.state
        guard let version = state.onlineVersion, let targets = state.targets else {
            throw BundleError(
                .invalidFeed,
                "another program has signed the feed, in another form; copy it without signing it for longer"
            )
        }
        roots = signatures.roots
        let wanted = now + signing.life
        expiry = min(wanted, state.root.expiry, targets.expiry)
        isExpiryBounded = expiry < wanted
        let online = try OnlineDocuments(
            for: feed,
            (signatures.targets, targets.version),
            by: state.root,
            delegatingTo: targets.feedAuthority,
            signing.keys,
            version: version,
            expiry: expiry,
            at: now,
            pinsContent: false
        )
        documents = [
            (RoleName.targets.fileName(version: targets.version), signatures.targets),
            (RoleName.snapshot.fileName(version: version), online.snapshot),
            (RoleName.feedFile.fileName(version: version), online.feed),
            (MetadataFile.copyName(of: feed), feed),
        ]
        timestamp = online.timestamp
        pinsContent = false
    }

    /// Checks that no file takes the place of a document.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed`.
    func checkNames(of files: [MirroredFile]) throws(BundleError) {
        let names = Set(
            documents.map(\.name) + roots.indices.map { RoleName.root.fileName(version: $0 + 1) } + [
                RoleName.timestamp.fileName, FeedFolder.feedFileName,
            ]
        )
        guard let file = files.first(where: { names.contains($0.path.string) }) else { return }
        throw BundleError(.invalidFeed, "\(file.path) has the name of a document; publish it by another one")
    }

    /// Verifies what was signed as a device does it that knows the latest root, to which each earlier one leads.
    private func verify(_ feed: [UInt8], at now: Date) throws(BundleError) {
        do throws(TrustError) {
            var state = try TrustedState(anchor: roots.last ?? [])
            _ = try state.follow(timestamp, documents, to: feed, at: now)
        } catch {
            throw BundleError(
                .invalidFeed,
                "devices would refuse the copy: \(error); nothing was written",
                cause: error
            )
        }
    }
}

extension TrustedState {
    /// When the first of the documents expires.
    fileprivate var earliestExpiry: Date {
        [root.expiry, timestamp?.expiry, snapshot?.expiry, targets?.expiry].compactMap(\.self).min() ?? root.expiry
    }

    /// The version of what the online key signs, as it is made here; nil for documents of another form.
    fileprivate var onlineVersion: Int? {
        guard root.isConsistentSnapshot, let version = timestamp?.version, snapshot?.version == version,
            let documents = snapshot?.documents, documents.count == 2,
            documents[ExactString(RoleName.feedFile.documentName)]?.version == version
        else { return nil }
        return version
    }
}
