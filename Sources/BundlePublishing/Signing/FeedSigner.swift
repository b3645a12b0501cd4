import BundleModel
import BundleStore
import BundleTrust
import BundleUpdate
import Foundation

/// A release that the release key vouches for.
struct VouchedRelease {
    /// Where the archive is, as the feed says it.
    let path: String
    let byteCount: Int64
    let digest: Digest
    let release: ReleaseName
    /// The digest over all of the release's files.
    let contents: Digest
}

/// Signs a feed. It reads the folder when it is made, and writes nothing.
struct FeedSigner {
    /// What is signed at present.
    let feed: SignedFeed

    private let folder: FeedFolder
    private let keys: SigningKeys
    private let lastVersion: SignedVersion
    private let now: Date

    /// - Parameters:
    ///   - roots: The roots that the publisher has; nil for those of the keys.
    ///   - takesOver: Whether what was signed by keys of an earlier root counts, unless those of a later one have signed the feed since:
    ///     who has stolen a key that was replaced may have set the folder back, and added to it.
    /// - Throws: As ``SignedFeed/init(_:known:takingOverFrom:)``, ``SigningKeys/requiredRoots()`` and ``SignedVersion/check(_:_:)``.
    init(
        _ folder: FeedFolder,
        keys: SigningKeys,
        roots: RootChain? = nil,
        at now: Date,
        takingOver takesOver: Bool = false
    ) throws(BundleError) {
        self.folder = folder
        self.keys = keys
        self.now = now
        let known = if let roots { roots } else { try keys.requiredRoots() }
        lastVersion = SignedVersion(of: folder, keys: keys.folder.path)
        let earliestRoot = takesOver ? try lastVersion.root() ?? 1 : nil
        feed = try SignedFeed(folder.path, known: known, takingOverFrom: earliestRoot)
        try lastVersion.check(feed.state?.snapshot.version ?? 0, feed.roots)
    }

    /// The signer of a folder; nil when neither the folder is signed nor keys are given.
    ///
    /// - Parameter isSigned: Whether the feed says that it is signed, also when its documents are missing.
    /// - Throws: As ``init(_:keys:roots:at:takingOver:)``; ``/BundleModel/BundleError`` with code `invalidArgument` when the folder is signed, and
    ///   no keys are given: devices would refuse the feed.
    static func make(
        _ folder: FeedFolder,
        isSigned: Bool,
        _ keys: SigningKeys?,
        at now: Date
    ) throws(BundleError) -> FeedSigner? {
        if let keys { return try FeedSigner(folder, keys: keys, at: now) }
        guard isSigned || SignedFeed.isSigned(folder.path) else { return nil }
        throw BundleError(
            .invalidArgument,
            "the feed in \(Printable.line(folder.name)) is signed, and devices would refuse a change that isn't",
            .nameSigningKeys
        )
    }

    /// The targets with one more release, without those that the feed doesn't offer any more: what is revoked is so for good.
    ///
    /// What the feed offers besides isn't added, since others may have written it into the folder.
    func targets(adding release: VouchedRelease, among entries: [FeedEntry]) -> [(String, JSONValue)] {
        targets(offeredBy: entries).filter { $0.0 != release.path } + [(release.path, release.json)]
    }

    /// The targets without those that a changed feed doesn't offer any more; nil when all stay, or the release keys aren't here: until they
    /// sign again, who has the online key can offer those once more.
    func targets(afterChangeTo entries: [FeedEntry]) -> [(String, JSONValue)]? {
        guard let state = feed.state, keys.suffice(for: feed.roots.latest.targets) else { return nil }
        let kept = targets(offeredBy: entries)
        return kept.count == state.targets.targets.count ? nil : kept
    }

    private func targets(offeredBy entries: [FeedEntry]) -> [(String, JSONValue)] {
        let offered = Dictionary(
            entries.filter { !$0.terms.isRevoked }.map { (ExactString($0.source), ExactString($0.digest.hex)) },
            uniquingKeysWith: { $1 }
        )
        let targets = feed.state?.targets.targets ?? [:]
        return targets.filter { offered[$0] == $1.file.sha256 }.map { ($0.key.string, $0.value.json) }
    }

    /// The releases of a feed that nobody vouches for.
    static func unsigned(_ entries: [FeedEntry], among targets: [(String, JSONValue)]) -> [FeedEntry] {
        let paths = Set(targets.map { ExactString($0.0) })
        return entries.filter { !$0.terms.isRevoked && !paths.contains(ExactString($0.source)) }
    }

    /// Signs a feed.
    ///
    /// - Parameters:
    ///   - bytes: The feed.
    ///   - targets: What may be installed; nil to leave it as it is signed, which needs the online key alone.
    /// - Returns: The documents, verified as devices do it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when a key is missing, or nothing was signed yet; `invalidFeed`
    ///   when devices would refuse it.
    func sign(_ bytes: [UInt8], targets: [(String, JSONValue)]?) throws -> SignedPublication {
        // A key that the role was given since may not be delegated to yet.
        let delegated = targets == nil ? feed.state?.targets.feedAuthority : nil
        let targets = try targets.map { try targetsDocument($0) } ?? currentTargets()
        let version = try feed.version(after: feed.onlineVersion, of: [.snapshot, .feedFile])
        let (now, expiry) = (try signingTime(), self.now + SignatureLife.online)
        let online = try OnlineDocuments(
            for: bytes,
            targets,
            by: feed.roots.latest,
            delegatingTo: delegated,
            keys,
            version: version,
            expiry: expiry,
            at: now
        )
        let publication = SignedPublication(
            folder: folder,
            documents: [
                (RoleName.targets.fileName(version: targets.version), targets.bytes),
                (RoleName.feedFile.fileName(version: version), online.feed),
                (RoleName.snapshot.fileName(version: version), online.snapshot),
                (MetadataFile.copyName(of: bytes), bytes),
            ],
            roots: feed.roots,
            feed: bytes,
            timestamp: online.timestamp,
            version: version,
            expiry: expiry,
            lastVersion: lastVersion
        )
        try publication.verify(at: now)
        return publication
    }

    /// The time that devices have, which isn't before any signature that they have seen.
    private func signingTime() throws(BundleError) -> Date {
        let time = max(now, feed.signingTime ?? now)
        guard time < now + SignatureLife.online else {
            throw BundleError(
                .invalidFeed,
                "the feed in \(Printable.line(folder.name)) was signed at \(time.formatted(.iso8601)), and for devices that have seen that, "
                    + "a signature of now has expired; check this machine's clock, or replace the online key if the other clock was wrong"
            )
        }
        return time
    }

    private func currentTargets() throws(BundleError) -> (bytes: [UInt8], version: Int) {
        guard let state = feed.state else {
            throw BundleError(
                .invalidArgument,
                "the feed in \(Printable.line(folder.name)) isn't signed yet; publish a release with the release key first"
            )
        }
        return (state.targetsDocument, state.targets.version)
    }

    private func targetsDocument(_ targets: [(String, JSONValue)]) throws -> (bytes: [UInt8], version: Int) {
        let root = feed.roots.latest
        let signers = try keys.signers(for: .release, by: root.targets)
        let version = try feed.version(after: feed.state?.targets.version ?? 0, of: [.targets])
        let online = try feed.roots.latestDocument().keys(of: .snapshot).filter { $0.key != nil }
        let role =
            MetadataDocument.role(online.map(\.name), threshold: root.snapshot.threshold) + [
                ("name", .string(RoleName.feedFile.text.string)), ("terminating", .bool(true)),
                ("paths", .array([.string(FeedFolder.feedFileName)])),
            ]
        let delegations: [(String, JSONValue)] = [
            ("keys", .members(online.map { ($0.name.string, $0.json) })),
            ("roles", .array([.members(role)])),
        ]
        let signed =
            MetadataDocument.header(
                TargetsContent.type,
                version: version,
                expiry: now + SignatureLife.offline
            ) + [
                ("targets", .members(targets.sorted { ExactString($0.0) < ExactString($1.0) })),
                ("delegations", .members(delegations)),
            ]
        return (try MetadataDocument.encoded(.members(signed), by: signers), version)
    }
}

extension VouchedRelease {
    fileprivate var json: JSONValue {
        let custom: [(String, JSONValue)] = [
            ("name", .string(release.name.string)), ("version", .string(release.version.string)),
            ("contents", .string(contents.hex)),
        ]
        return .members(MetadataDocument.file(byteCount, digest) + [("custom", .members(custom))])
    }
}

extension SignedTarget {
    /// The target as it was signed, as far as publishing has written it.
    var json: JSONValue {
        let hashes = [("sha256", file.sha256), ("sha512", file.sha512)].compactMap { name, hash in
            hash.map { (name, JSONValue.string($0.string)) }
        }
        return .members(
            [("length", .integer(file.byteCount ?? 0)), ("hashes", .members(hashes))]
                + (custom.map { [("custom", $0)] } ?? [])
        )
    }
}
