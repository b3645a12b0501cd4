import BundleStore
import BundleTrust
import Synchronization

/// Keeps what is trusted of a bundle's feed in the catalog, where it never goes back. One task uses it.
final class CatalogKeeper: MetadataKeeper {
    private let store: BundleStore
    private let name: BundleName
    private let anchor: Digest
    private let shipped: PublisherRoot?
    /// The version of the root that is kept.
    private let root: Mutex<Int64>

    /// - Parameters:
    ///   - anchor: SHA-256 of the root that the trust began with.
    ///   - shipped: A root that the program has, and that those of the feed have to lead to or come from; nil for none.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when the root can't be read.
    init(_ store: BundleStore, _ name: BundleName, anchor: Digest, shipped: PublisherRoot? = nil) throws {
        (self.store, self.name, self.anchor, self.shipped) = (store, name, anchor, shipped)
        root = Mutex(try store.trustedDocument(TrustedDocument.root, of: name)?.version ?? 0)
    }

    func document(of role: RoleName) throws -> [UInt8]? {
        try store.trustedDocument(role.fileName, of: name)?.content
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process has changed what is trusted; `TrustError` for a
    ///   root in place of the one that the program has.
    func keep(_ bytes: [UInt8], of role: RoleName, version: Int, dropping others: [RoleName]) throws {
        let document = TrustedDocument(role.fileName, version: Int64(version), bytes)
        if role == .root, let shipped, shipped.version == version, shipped.bytes != bytes {
            throw TrustError(.wrongAnchor, role.fileName(version: version), "isn't the one that this program has")
        }
        try root.withLock { root in
            try store.keep(document, of: name, by: anchor, root: root, dropping: others.map(\.fileName))
            if role == .root { root = document.version }
        }
    }
}

/// Keeps in memory what would be trusted of a feed, until something of it is used. One task uses it.
final class FirstUseKeeper: MetadataKeeper {
    private let kept: Mutex<[String: TrustedDocument]>

    /// - Throws: `TrustError` when the root isn't signed by its own keys, or doesn't have the digest.
    init(root bytes: [UInt8], digest: Digest?) throws {
        let root = try TrustedState(anchor: bytes, digest: digest).root
        let document = TrustedDocument(TrustedDocument.root, version: Int64(root.version), bytes)
        kept = Mutex([document.name: document])
    }

    /// All that is kept.
    var documents: [TrustedDocument] { kept.withLock { $0.values.sorted { $0.name < $1.name } } }

    func document(of role: RoleName) throws -> [UInt8]? { kept.withLock { $0[role.fileName]?.content } }

    func keep(_ bytes: [UInt8], of role: RoleName, version: Int, dropping others: [RoleName]) throws {
        kept.withLock { kept in
            for other in others { kept[other.fileName] = nil }
            kept[role.fileName] = TrustedDocument(role.fileName, version: Int64(version), bytes)
        }
    }
}
