import BundleModel
import BundleStore
import BundleTrust
import Foundation

extension KeyFolder {
    /// Replaces the keys of a role by a new one: makes a root that the root keys before and after it sign, and signs the feeds again.
    ///
    /// Devices follow by themselves, from any root before. The file of the key that was replaced stays, and is of no use any more.
    ///
    /// - Parameters:
    ///   - role: The role.
    ///   - feeds: The folders of all feeds that the keys sign. Those that aren't among them are refused by their devices once the release
    ///     key or the online key is another, and can be signed again by another rotation of one of these. It takes over what the keys of
    ///     an earlier root have signed, the newest under which everything is.
    ///   - passphrase: Asked for the passphrase of an encrypted key.
    ///   - newPassphrase: Gives the passphrase of the new key, or nil; it gets whether the one before has one.
    /// - Returns: The feeds, each once, with what their signatures vouch for now. Who has stolen a key may have added to it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when a key is missing, a folder has no feed, or the feed isn't
    ///   signed; `invalidFeed` when devices would refuse what would be signed; `outputUnavailable` when a folder can't be written. Nothing
    ///   has changed then, except in the last case.
    package func rotate(
        _ role: KeyRole,
        feeds: [String],
        passphrase: @escaping (KeyFile) throws -> [UInt8],
        newPassphrase: (Bool) throws -> [UInt8]?
    ) throws -> [RotatedFeed] {
        try FolderLock.holding([path] + feeds) {
            let keys = try SigningKeys(self, passphrase: passphrase)
            guard var roots = keys.roots else {
                throw BundleError(
                    .invalidArgument,
                    "\(Printable.line(path)) has no root; give the folder in which the keys were made"
                )
            }
            let replaced = keys.files(of: role, in: roots.latest)
            let key = SigningKey()
            let root = try keys.root(after: roots, replacing: replaced, by: key, for: role, at: now())
            do throws(TrustError) { try roots.append(root) } catch { throw BundleError(error, in: path) }
            let prepared = try Self.unique(feeds).map {
                try publication(of: $0, roots, keys, takingOver: role != .root)
            }
            let secret = try newPassphrase(keys.hasEncryptedFiles)
            try KeyFile.write(key, for: role, passphrase: secret, in: path)
            try write(root, version: roots.documents.count)
            for (publication, _) in prepared { try publication.write() }
            return prepared.map(\.report)
        }
    }

    /// Each folder once, however often and under whichever path it is named.
    private static func unique(_ folders: [String]) -> [String] {
        var seen: Set<String> = []
        return folders.filter { seen.insert(FolderLock.path(of: $0)).inserted }
    }

    private func publication(
        of folder: String,
        _ roots: RootChain,
        _ keys: SigningKeys,
        takingOver takesOver: Bool
    ) throws -> (SignedPublication, report: RotatedFeed) {
        let signer = try FeedSigner(folder, keys: keys, roots: roots, at: now(), takingOver: takesOver)
        guard let bytes = signer.feed.feed, let state = signer.feed.state else {
            throw BundleError(
                .invalidArgument,
                "the feed in \(Printable.line(folder)) isn't signed yet, and needs no new signature; leave it out"
            )
        }
        let targets = state.targets.targets.map { ($0.key.string, $0.value.json) }
        let isCurrent = signer.feed.areTargetsCurrent(at: now())
        let publication = try signer.sign(bytes, targets: isCurrent ? nil : targets)
        let report = RotatedFeed(
            feedPath: FeedFolder(folder).feedPath,
            signedUntil: publication.expiry,
            archives: state.targets.targets.map {
                RotatedFeed.Archive(path: $0.key.string, sha256: $0.value.file.sha256?.string)
            }
            .sorted { $0.path < $1.path }
        )
        return (publication, report)
    }
}

/// A feed that was signed again after a key was replaced. A value type; safe to share between threads.
package struct RotatedFeed: Sendable {
    /// The feed's file.
    package let feedPath: String
    /// Until when devices take what the online key has signed.
    package let signedUntil: Date
    /// The archives that may be installed, sorted by their paths.
    package let archives: [Archive]

    /// An archive that the release key vouches for.
    package struct Archive: Sendable {
        /// Its path, as the feed names it.
        package let path: String
        /// Its SHA-256 in hexadecimal digits; nil where another program has signed another digest.
        package let sha256: String?
    }
}

extension SignedFeed {
    /// Whether the targets are signed by the latest root's release key, delegate to its online key, and haven't expired.
    fileprivate func areTargetsCurrent(at now: Date) -> Bool {
        guard let state,
            let targets: TargetsContent = try? roots.latest.targets.content(
                of: state.targetsDocument,
                as: .targets,
                atMost: TrustLimits.targetsByteCount
            )
        else { return false }
        return targets.expiry > now
            && targets.delegations.contains { $0.role == .feedFile && $0.authority == roots.latest.snapshot }
    }
}

extension SigningKeys {
    /// The next root, signed by the root keys before and after it.
    ///
    /// - Parameter replaced: The keys that it doesn't have any more.
    fileprivate func root(
        after roots: RootChain,
        replacing replaced: [KeyFile],
        by key: SigningKey,
        for role: KeyRole,
        at now: Date
    ) throws -> [UInt8] {
        var signers = try signers(for: .root, by: roots.latest.root)
        add(key)
        if role == .root { signers.append(Signer(name: ExactString(key.publicKey.id), key: key)) }
        let signed = try RootDocument.next(
            roots,
            replacing: Set(replaced.map(\.publicKey.key)),
            by: key.publicKey,
            for: role,
            at: now
        )
        return try MetadataDocument.encoded(signed, by: signers)
    }
}

extension FolderLock {
    /// Runs `body` while this process has the locks of folders, which are taken in the order of their paths, so that two processes
    /// don't wait for each other.
    ///
    /// - Throws: As ``init(_:)``; what `body` throws.
    fileprivate static func holding<Result>(_ folders: [String], _ body: () throws -> Result) throws -> Result {
        let paths = Set(folders.map(path(of:)))
        return try holding(paths.sorted()[...], body)
    }

    /// The path of a folder that has no other one.
    fileprivate static func path(of folder: String) -> String {
        URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    }

    private static func holding<Result>(_ folders: ArraySlice<String>, _ body: () throws -> Result) throws -> Result {
        guard let first = folders.first else { return try body() }
        let lock = try FolderLock(first)
        defer { withExtendedLifetime(lock) {} }
        return try holding(folders.dropFirst(), body)
    }
}
