import BundleModel
import BundleStore
import BundleTrust
import Foundation

extension KeyFolder {
    /// Changes the keys of a role: makes a root that the root keys before and after it sign, and signs the feeds again.
    ///
    /// Devices follow by themselves, from any root before. The file of a key that was replaced stays, and is of no use any more. When the
    /// folder hasn't all keys that must sign the root, it is kept as a draft for those who have the others, and the feeds stay as they are.
    /// In a folder without roots a key is made, and nothing else.
    ///
    /// - Parameters:
    ///   - feeds: The folders of all feeds that the keys sign. Those that aren't among them are refused by their devices once the release
    ///     key or the online key is another, and can be signed again later. A change of one of these two takes over what the keys of an
    ///     earlier root have signed, the newest under which everything is.
    ///   - passphrase: Asked for the passphrase of an encrypted key.
    ///   - newPassphrase: Gives the passphrase of the new key, or nil; it gets whether any of the folder has one.
    /// - Returns: The feeds, each once, with what their signatures vouch for now. Who has stolen a key may have added to it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when a key is missing, the change leaves a role that nobody can sign
    ///   for, a draft waits, a folder has no feed, or the feed isn't signed; `invalidFeed` when devices would refuse what would be signed;
    ///   `outputUnavailable` when a folder can't be written, or a key store doesn't sign. Nothing has changed then, except where a folder
    ///   can't be written.
    package func change(
        _ change: KeyChange,
        feeds: [String],
        passphrase: @escaping (KeyFile) throws -> [UInt8],
        newPassphrase: (Bool) throws -> [UInt8]?
    ) throws -> [RotatedFeed] {
        if case .adding(.made) = change.action, feeds.isEmpty, try lacksRoots() {
            try makeKey(for: change.role, passphrase: newPassphrase(false))
            return []
        }
        return try FolderLock.holding([path] + feeds) {
            let keys = try SigningKeys(self, passphrase: passphrase)
            let roots = try keys.requiredRoots()
            guard try draft(after: roots) == nil else {
                throw BundleError(
                    .invalidArgument,
                    "\(Printable.line(path)) has a draft of the next root, which waits for signatures; sign or discard it first"
                )
            }
            let made = SigningKey()
            let signer = change.newKey?.signer(made, running: run)
            let root = (roots.latest, try roots.latestDocument())
            let files = keys.files(of: change.role, in: roots.latest).map(\.publicKey.id)
            let next = try root.1.next(
                change.rootChange(of: root, files: files, key: signer?.publicKey ?? change.newKey?.publishedKey),
                after: root.0,
                at: now()
            )
            let unsigned = try RootDraft(next, after: roots, at: now())
            if case .stored = change.newKey, let signer { try unsigned.check(signer) }
            if let signer { keys.add(signer) }
            guard let draft = try unsigned.signed(by: keys, after: roots, at: now()), draft.isBegun else {
                throw keys.lacking(.root, found: 0, of: roots.latest.root.threshold)
            }
            return try adopt(draft, after: roots, keys, feeds) {
                try keep(change, made, encryptedAs: keys.hasEncryptedFiles, newPassphrase)
            }
        }
    }

    /// Signs the draft of the next root, and once it has all signatures, the feeds. Without a draft the feeds alone are signed again,
    /// for a root that was signed elsewhere.
    ///
    /// - Parameters:
    ///   - feeds: As of ``change(_:feeds:passphrase:newPassphrase:)``.
    ///   - confirm: Shown what the draft changes before it is signed; throws to leave it.
    /// - Returns: As of that.
    /// - Throws: As that, and what `confirm` throws.
    package func sign(
        feeds: [String],
        passphrase: @escaping (KeyFile) throws -> [UInt8],
        confirming confirm: (DraftOverview) throws -> Void
    ) throws -> [RotatedFeed] {
        try FolderLock.holding([path] + feeds) {
            let keys = try SigningKeys(self, passphrase: passphrase)
            let roots = try keys.requiredRoots()
            guard let draft = try draft(after: roots) else {
                guard !feeds.isEmpty else { throw lacksDraft() }
                return try write(publications(of: feeds, roots, keys, takingOver: true))
            }
            try confirm(draft.overview)
            guard let signed = try draft.signed(by: keys, after: roots, at: now()) ?? (draft.isComplete ? draft : nil)
            else {
                throw BundleError(
                    .invalidArgument,
                    "no key in \(Printable.line(path)) can sign the draft, or all of them have; give it to those who have the others"
                )
            }
            return try adopt(signed, after: roots, keys, feeds) {}
        }
    }

    /// Makes a draft the next root if it has all signatures; keeps it otherwise.
    private func adopt(
        _ draft: RootDraft,
        after roots: RootChain,
        _ keys: SigningKeys,
        _ feeds: [String],
        keepingKey keep: () throws -> Void
    ) throws -> [RotatedFeed] {
        guard draft.isComplete else {
            try keep()
            try write(draft)
            return []
        }
        var roots = roots
        do throws(TrustError) { try roots.append(draft.bytes) } catch { throw BundleError(error, in: path) }
        let before = roots.contents[roots.contents.count - 2]
        let replacesSigners = before.targets != roots.latest.targets || before.snapshot != roots.latest.snapshot
        let prepared = try publications(of: feeds, roots, keys, takingOver: replacesSigners)
        try keep()
        try write(draft.bytes, version: roots.documents.count)
        try removeDraft()
        return try write(prepared)
    }

    private func write(_ prepared: [(publication: SignedPublication, report: RotatedFeed)]) throws -> [RotatedFeed] {
        for (publication, _) in prepared { try publication.write() }
        return prepared.map(\.report)
    }

    private func keep(
        _ change: KeyChange,
        _ key: SigningKey,
        encryptedAs isEncrypted: Bool,
        _ newPassphrase: (Bool) throws -> [UInt8]?
    ) throws {
        switch change.newKey {
        case .made: try KeyFile.write(key, for: change.role, passphrase: newPassphrase(isEncrypted), in: path)
        case .stored(let key, let command): try KeyFile.write(key, command: command, for: change.role, in: path)
        case .published, nil: break
        }
    }

    /// The publications of feeds, each once, however often and under whichever path it is named.
    private func publications(
        of feeds: [String],
        _ roots: RootChain,
        _ keys: SigningKeys,
        takingOver takesOver: Bool
    ) throws -> [(publication: SignedPublication, report: RotatedFeed)] {
        var seen: Set<String> = []
        return try feeds.filter { seen.insert(FileManager.realPath($0)).inserted }.map { feed in
            try publication(of: feed, roots, keys, takingOver: takesOver)
        }
    }

    private func publication(
        of folder: String,
        _ roots: RootChain,
        _ keys: SigningKeys,
        takingOver takesOver: Bool
    ) throws -> (SignedPublication, report: RotatedFeed) {
        let signer = try FeedSigner(FeedFolder(folder), keys: keys, roots: roots, at: now(), takingOver: takesOver)
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
            feedName: FeedFolder(folder).feedName,
            signedUntil: publication.expiry,
            archives: state.targets.targets.map { RotatedFeed.Archive($0.key, $0.value) }.sorted { $0.path < $1.path }
        )
        return (publication, report)
    }
}

/// A feed that was signed again after a key was replaced. A value type; safe to share between threads.
package struct RotatedFeed: Sendable {
    /// The feed's file.
    package let feedName: String
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

        fileprivate init(_ path: ExactString, _ target: SignedTarget) {
            (self.path, sha256) = (path.string, target.file.sha256?.string)
        }
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

extension KeyChange.NewKey {
    /// The key; nil for one that is made.
    fileprivate var publishedKey: PublishedKey? {
        switch self {
        case .made: nil
        case .published(let key), .stored(let key, _): key
        }
    }

    /// Signs with the key; nil when only others can.
    fileprivate func signer(_ made: SigningKey, running run: @escaping KeyStoreRun) -> (any DocumentSigner)? {
        switch self {
        case .made: made
        case .published: nil
        case .stored(let key, let command): StoredKey(publicKey: key, command: command, run: run)
        }
    }
}
