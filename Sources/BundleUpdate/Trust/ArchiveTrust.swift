import BundleInstall
import BundleModel
import BundleStore
import BundleTrust
import Foundation
import HTTPCore
import HTTPTypes

/// What vouches for an archive that an operator or an app names, and no feed: the targets that are trusted of a bundle's feed, or those of
/// the feed in the archive's own folder. An installation without any is refused where the bundle's feed is trusted by a root, see
/// `InstallOptions.requiresTrust`.
///
/// Targets that have expired vouch for nothing: a device that is never online would otherwise take what was withdrawn long ago. The timestamp
/// may have expired: an operator who names the archive wants no news. A value type; safe to share between threads.
package struct ArchiveTrust: Sendable {
    private let store: BundleStore
    /// Whether each archive has to be signed, and not only those of bundles whose feed is trusted by a root.
    private let requiresTrust: Bool
    private let signedBundles: Set<BundleName>

    /// - Parameters:
    ///   - store: Where the archive is installed.
    ///   - requiresTrust: Whether each archive has to be signed.
    ///   - signedBundles: The bundles for which the program has a root.
    package init(_ store: BundleStore, requiresTrust: Bool, signedBundles: Set<BundleName> = []) {
        (self.store, self.requiresTrust, self.signedBundles) = (store, requiresTrust, signedBundles)
    }

    /// The options for installing a file, by what is trusted already. Nothing of it is parsed.
    ///
    /// - Throws: As ``options(_:for:named:)-(_,Digest,_)``.
    package func options(_ options: InstallOptions, for archive: String) throws -> InstallOptions {
        // Why it can't be read, the installation says.
        guard try isNeeded, let digest = try? Digest(ofFile: archive) else { return required(options) }
        return try self.options(options, for: digest, named: archive)
    }

    /// The options for installing an archive of which the digest is known.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `untrusted` when each archive has to be signed, and this one isn't;
    ///   `storeDamaged` when what is trusted can't be read.
    package func options(
        _ options: InstallOptions,
        for digest: Digest,
        named name: String
    ) throws -> InstallOptions {
        guard try isNeeded else { return required(options) }
        if let vouched = try known(digest) { return vouched.applied(to: required(options)) }
        guard !requiresTrust else { throw Self.refusal(name) }
        return required(options)
    }

    /// The options for installing a file, also by what is signed in its folder, where a feed may be.
    ///
    /// - Returns: The options, and what an operator has to know of a root that nobody has given.
    /// - Throws: As ``options(_:for:named:)-(_,Digest,_)``.
    package func optionsBesideFeed(
        _ options: InstallOptions,
        for archive: String
    ) async throws -> (options: InstallOptions, warnings: [String]) {
        guard try isNeeded, let digest = try? Digest(ofFile: archive) else { return (required(options), []) }
        if let vouched = try known(digest) { return (vouched.applied(to: required(options)), []) }
        do {
            if let (vouched, trust) = try await beside(archive, digest) {
                return (pinning(trust, vouched, required(options)), trust.firstUseWarning.map { [$0] } ?? [])
            }
        } catch let error as BundleError where requiresTrust && error.code == .untrusted {
            throw Self.refusal(archive, because: error)
        } catch let error as BundleError
            where [.untrusted, .invalidFeed, .networkUnavailable, .invalidArgument].contains(error.code)
        {
            // The feed may have nothing to do with the archive.
        }
        guard !requiresTrust else { throw Self.refusal(archive) }
        return (required(options), [])
    }

    private var isNeeded: Bool { get throws { try requiresTrust || !store.trustAnchors().isEmpty } }

    private func required(_ options: InstallOptions) -> InstallOptions {
        var options = options
        (options.requiresTrust, options.signedBundles) = (requiresTrust, signedBundles)
        return options
    }

    private func known(_ digest: Digest) throws -> VouchedArchive? {
        for (name, anchor) in try store.trustAnchors().sorted(by: { $0.key < $1.key }) {
            let keeper = try CatalogKeeper(store, name, anchor: anchor.digest)
            guard let bytes = try keeper.document(of: .targets), let state = try TrustedState.counting(in: keeper),
                case let now = try TrustTime.now(in: store, after: state), state.root.expiry > now,
                let targets: TargetsContent = try? state.root.targets.content(
                    of: bytes,
                    as: .targets,
                    atMost: TrustLimits.targetsByteCount
                ),
                // The documents are kept one by one: the targets may be older than the snapshot, where a process has ended in between.
                targets.version == state.snapshot?.documents[ExactString(RoleName.targets.documentName)]?.version,
                targets.expiry > now, let vouched = VouchedArchive(digest, of: name, among: targets)
            else { continue }
            return vouched
        }
        return nil
    }

    /// By the feed in the archive's folder, if that has to be signed.
    private func beside(_ archive: String, _ digest: Digest) async throws -> (VouchedArchive, FeedTrust)? {
        let feed = URL(fileURLWithPath: archive).standardizedFileURL.deletingLastPathComponent()
            .appending(path: VerifiedFeed.path)
        guard FileManager.default.fileExists(atPath: feed.path) else { return nil }
        let source = FeedSource(
            store: store,
            document: try OriginDocument(transport: FilesAlone()).reading(placeOf: feed, by: .folders),
            requiresTrust: requiresTrust
        )
        let received = try await source.first(at: feed)
        guard let trust = received.trust,
            let vouched = VouchedArchive(digest, of: received.feed.name, among: trust.targets)
        else { return nil }
        return (vouched, trust)
    }

    /// The root is trusted from the moment on at which something that it vouches for is installed.
    private func pinning(_ trust: FeedTrust, _ vouched: VouchedArchive, _ options: InstallOptions) -> InstallOptions {
        var options = vouched.applied(to: options)
        options.precondition = { [store, precondition = options.precondition] bundle in
            try precondition(bundle)
            try trust.pin(vouched.name, in: store)
        }
        return options
    }

    private static func refusal(_ archive: String, because error: BundleError? = nil) -> BundleError {
        let reason = error.map { ": \($0.message)" } ?? ""
        return BundleError(
            .untrusted,
            "\(Printable.line(archive)) isn't among the archives that a trusted publisher has signed, and wasn't opened\(reason); install "
                + "it from its feed, or from the folder that has its feed and what is signed",
            cause: error
        )
    }
}

/// What the release key says of an archive. A value type; safe to share between threads.
private struct VouchedArchive: Sendable {
    let name: BundleName
    private let version: BundleVersion
    private let filesDigest: Digest

    /// Nil when the targets of a bundle's feed don't have the archive as a release of this bundle.
    init?(_ digest: Digest, of name: BundleName, among targets: TargetsContent) {
        for target in targets.targets.values where target.digest == digest {
            guard target.text("name") == name.string,
                let version = target.text("version").flatMap({ BundleVersion($0) }),
                let filesDigest = target.filesDigest
            else { continue }
            (self.name, self.version, self.filesDigest) = (name, version, filesDigest)
            return
        }
        return nil
    }

    /// The same options, for this release and these files alone.
    func applied(to options: InstallOptions) -> InstallOptions {
        var options = options
        options.expected = (name, version)
        options.expectedFiles = filesDigest
        return options
    }
}

/// A network for those who read files.
private struct FilesAlone: OriginTransport {
    func send(_ call: OriginCall) async throws -> OriginResponse {
        throw BundleError(.networkUnavailable, "only files are read here")
    }
}
