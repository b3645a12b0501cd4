/// What is trusted of the bundles' feeds. It stays when a bundle is removed.
extension BundleStore {
    /// By which root a bundle's feed is trusted; nil when the feed needn't be signed.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when there is one, and it can't be read.
    package func trustAnchor(of name: BundleName) throws -> TrustAnchor? {
        try StoreAccess.run(at: path) { try catalog.trust.anchor(of: name) }
    }

    /// The bundles whose feeds have to be signed, also those that have no release.
    ///
    /// - Throws: As ``trustAnchor(of:)``.
    package func trustAnchors() throws -> [BundleName: TrustAnchor] {
        try StoreAccess.run(at: path) { try catalog.trust.anchors() }
    }

    /// Has a bundle's feed trusted by a root, and by no other one, from now on. Nothing happens when it is already.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 of the root that is trusted first.
    ///   - isPinned: Whether it is the first one that was seen, and nobody has given it.
    ///   - documents: The root, or a later one, and what else is trusted.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when the feed is trusted by another root.
    package func trust(
        _ name: BundleName,
        by digest: Digest,
        isPinned: Bool,
        _ documents: [TrustedDocument]
    ) throws {
        let anchor = TrustAnchor(digest, isPinned: isPinned, since: now())
        try StoreAccess.run(at: path) { try catalog.trust.insert(anchor, of: name, documents) }
    }

    /// Ends the trust in a bundle's feed, which needn't be signed any more. The journal has it.
    ///
    /// - Returns: Whether there was any.
    package func endTrust(of name: BundleName) throws -> Bool {
        defer { _ = try? refresh() }
        guard try StoreAccess.run(at: path, { try catalog.trust.remove(of: name) }) else { return false }
        let detail = "the trust in the feed was ended: it needn't be signed any more"
        try? record(UpdateEvent(.checked, name, at: now(), detail: detail))
        return true
    }

    /// Records that a publisher's release key vouches for an installed release. Nothing happens when the store has another one of its
    /// version meanwhile, or the feed isn't trusted by the root any more.
    ///
    /// - Parameters:
    ///   - root: SHA-256 of the root that the trust began with.
    ///   - keys: Identifies the release keys.
    package func recordSigner(_ root: Digest, by keys: Digest, of release: Release) throws {
        try StoreAccess.run(at: path) { try catalog.trust.recordSigner(root, by: keys, of: release) }
        try refresh()
    }

    /// The roots by which a bundle's feed was trusted one after the other, by their versions, as SHA-256. The one that the trust began with
    /// is among them.
    package func trustedRoots(of name: BundleName) throws -> [Int64: Digest] {
        try StoreAccess.run(at: path) { try catalog.trust.roots(of: name) }
    }

    /// A document that is trusted of a bundle's feed; nil for none.
    ///
    /// - Parameter document: Its ``TrustedDocument/name``.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` for a root that is there, and can't be read.
    package func trustedDocument(_ document: String, of name: BundleName) throws -> TrustedDocument? {
        try StoreAccess.run(at: path) { try catalog.trust.document(document, of: name) }
    }

    /// Keeps a document that is trusted of a bundle's feed in place of an earlier one, and drops others, all in one step. The
    /// versions of the root, the timestamp and the snapshot never go down: a timestamp and a snapshot begin again only where they were
    /// dropped.
    ///
    /// - Parameters:
    ///   - anchor: SHA-256 of the root that the trust began with.
    ///   - root: The version of the root that the document is trusted by.
    ///   - others: The names of the documents to drop.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process has changed what is trusted meanwhile.
    package func keep(
        _ document: TrustedDocument,
        of name: BundleName,
        by anchor: Digest,
        root: Int64,
        dropping others: [String] = []
    ) throws {
        try StoreAccess.run(at: path) {
            try catalog.trust.keep(document, of: name, by: anchor, root: root, dropping: others)
        }
    }

    /// By what the signatures on feeds expire. By default by the machine's clock.
    public func trustClock() throws -> TrustClock {
        try StoreAccess.run(at: path) { try catalog.trust.clock() }
    }

    /// Says by what the signatures on feeds expire, for all processes and from their next check on.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    public func setTrustClock(_ clock: TrustClock) throws {
        try StoreAccess.run(at: path) { try catalog.trust.setClock(clock) }
    }
}
