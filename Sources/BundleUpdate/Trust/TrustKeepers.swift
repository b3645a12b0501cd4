import BundleStore
import BundleTrust
import Synchronization

/// Keeps what is trusted of a bundle's feed in the catalog, where it never goes back. One task uses it.
final class CatalogKeeper: MetadataKeeper {
    private struct State {
        /// The version of the root that is kept.
        var root: Int64
        /// What a store that can't be written doesn't have: nil for what it has, and counts no more.
        var unwritten: [String: [UInt8]?] = [:]
    }

    private let store: BundleStore
    private let name: BundleName
    private let anchor: Digest
    private let shipped: PublisherRoot?
    private let installs: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - anchor: SHA-256 of the root that the trust began with.
    ///   - shipped: A root that the program has, and that those of the feed have to lead to or come from; nil for none.
    ///   - installs: Whether something may be installed that the documents allow. Otherwise a store that can't be written will do: what
    ///     is trusted is in memory then, and the next check asks for it again.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when the root can't be read.
    init(
        _ store: BundleStore,
        _ name: BundleName,
        anchor: Digest,
        shipped: PublisherRoot? = nil,
        installs: Bool = true
    ) throws {
        (self.store, self.name, self.anchor) = (store, name, anchor)
        (self.shipped, self.installs) = (shipped, installs)
        state = Mutex(State(root: try store.trustedDocument(TrustedDocument.root, of: name)?.version ?? 0))
    }

    /// The version of the root that is trusted by now; 0 for none.
    var rootVersion: Int64 { state.withLock(\.root) }

    func document(of role: RoleName) throws -> [UInt8]? {
        if let unwritten = state.withLock({ $0.unwritten[role.fileName] }) { return unwritten }
        return try store.trustedDocument(role.fileName, of: name)?.content
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process has changed what is trusted; `TrustError` for a
    ///   root in place of the one that the program has.
    func keep(_ bytes: [UInt8], of role: RoleName, version: Int, dropping others: [RoleName]) throws {
        let document = TrustedDocument(role.fileName, version: Int64(version), bytes)
        if role == .root, let shipped, shipped.version == version, shipped.bytes != bytes {
            throw TrustError(.wrongAnchor, role.fileName(version: version), "isn't the one that this program has")
        }
        let dropped = others.map(\.fileName)
        try state.withLock { state in
            do {
                try store.keep(document, of: name, by: anchor, root: state.root, dropping: dropped)
            } catch let error as BundleError where !installs && (error.isReadOnly || error.isLackOfRoom) {
                for name in dropped { state.unwritten[name] = .some(nil) }
                state.unwritten[document.name] = bytes
            }
            if role == .root { state.root = document.version }
        }
    }
}

extension TrustedState {
    /// What is kept; nil where no root counts.
    ///
    /// - Throws: What `keeper` throws.
    static func counting(in keeper: CatalogKeeper) throws -> TrustedState? {
        do {
            return try TrustedState(restoredFrom: keeper)
        } catch is TrustError {
            return nil
        }
    }
}

/// Keeps in memory what would be trusted of a feed, until something of it is used. One task uses it.
final class FirstUseKeeper: MetadataKeeper {
    /// SHA-256 of the root that it began with.
    let anchor: Digest
    private let kept: Mutex<[String: TrustedDocument]>

    /// Begins with the first root of a repository.
    ///
    /// - Parameter digest: The digest that the root must have; nil to trust the one that is there.
    /// - Throws: `TrustError` also when there is none; what `repository` throws.
    convenience init(firstIn repository: some MetadataRepository, digest: Digest?) async throws {
        let request = MetadataRequest.root(version: 1)
        guard let root = try await repository.document(request) else {
            throw TrustError(.missing, request.fileName, "isn't there, so nobody has signed the feed")
        }
        try self.init(root: root, digest: digest)
    }

    /// - Throws: `TrustError` when the root isn't signed by its own keys, or doesn't have the digest.
    init(root bytes: [UInt8], digest: Digest?) throws {
        let root = try TrustedState(anchor: bytes, digest: digest).root
        let document = TrustedDocument(TrustedDocument.root, version: Int64(root.version), bytes)
        anchor = Digest(of: bytes)
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
