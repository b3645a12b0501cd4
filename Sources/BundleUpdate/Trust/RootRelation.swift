import BundleStore
import BundleTrust

/// What is trusted of a bundle's feed, as far as roots go. A value type.
struct TrustedRoots: Equatable {
    /// SHA-256 of the one that the trust began with.
    let anchor: Digest
    /// The latest one.
    let latest: [UInt8]
    /// All that were followed, by their versions.
    let followed: [Int64: Digest]
}

/// How a root that a program ships relates to what is trusted already. Pure.
enum RootRelation: Equatable {
    /// Nothing is trusted yet.
    case first
    /// The trust began with it, or it was followed since.
    case known
    /// It is the next one, signed by enough keys of the latest.
    ///
    /// - Parameter replacesOnlineKeys: Whether what was signed by those keys counts no more.
    case next(replacesOnlineKeys: Bool)
    /// There are others between the latest and it: the feed has to lead to it.
    case later
    /// It is another publisher's, or nothing shows that it isn't.
    case other

    init(of root: PublisherRoot, to trusted: TrustedRoots?) {
        guard let trusted else {
            self = .first
            return
        }
        guard root.digest != trusted.anchor, !trusted.followed.values.contains(root.digest) else {
            self = .known
            return
        }
        guard let version = root.version, let before = try? TrustedState(anchor: trusted.latest) else {
            self = .other
            return
        }
        var after = before
        if (try? after.updateRoot(root.bytes)) != nil {
            let isSame = after.root.timestamp == before.root.timestamp && after.root.snapshot == before.root.snapshot
            self = .next(replacesOnlineKeys: !isSame)
        } else {
            self = version - 1 > before.root.version ? .later : .other
        }
    }
}

extension BundleStore {
    /// Has a bundle's feed trusted by a root that a program ships, unless it is already by this one or one that followed.
    ///
    /// - Returns: By which root the feed is trusted now; nil when it isn't yet, because only the digest is known.
    /// - Throws: ``/BundleModel/BundleError`` with code `untrusted` when the feed is trusted by another root; `storeBusy` when another
    ///   process has changed what is trusted; `storeDamaged` when that can't be read.
    @discardableResult
    package func trust(_ name: BundleName, shipped root: PublisherRoot) throws -> TrustAnchor? {
        guard let anchor = try trustAnchor(of: name) else {
            guard let document = root.document else { return nil }
            try trust(name, by: root.digest, isPinned: false, [document])
            return try trustAnchor(of: name)
        }
        // What is usual needs no verification.
        guard anchor.digest != root.digest else { return anchor }
        let latest = try trustedDocument(TrustedDocument.root, of: name)
        let trusted = TrustedRoots(
            anchor: anchor.digest,
            latest: latest?.content ?? [],
            followed: try trustedRoots(of: name)
        )
        switch RootRelation(of: root, to: trusted) {
        case .first, .known, .later: break
        case .next(let replacesOnlineKeys):
            guard let document = root.document, let latest else { break }
            let dropped = replacesOnlineKeys ? [RoleName.timestamp, .snapshot].map(\.fileName) : []
            try keep(document, of: name, by: anchor.digest, root: latest.version, dropping: dropped)
        case .other:
            throw BundleError(
                .untrusted,
                "the feed of \(name) is trusted by the root with SHA-256 \(anchor.digest), and the one with \(root.digest) isn't of "
                    + "the same publisher, as far as that can be known",
                .endTrust(name)
            )
        }
        return anchor
    }
}
