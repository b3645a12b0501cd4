import BundleInstall
import BundleStore
import BundleTar

/// An archive that is about to be published, installed in a store of its own: so it is known that it can be, and what
/// is in it.
///
/// Not thread-safe.
package final class ReleaseDraft {
    /// The archive.
    package let archive: String
    /// The archive's digest.
    package let digest: Digest
    /// How installing it went.
    package let report: InstallReport

    private let temporary: TemporaryStore
    private let options: InstallOptions

    /// Installs the archive and activates it, as a client would.
    ///
    /// - Parameters:
    ///   - archive: The archive's path.
    ///   - options: How it is read; options about the commit have no effect.
    ///   - progress: Called now and then with the bytes of the archive that are read.
    /// - Throws: As ``/BundleInstall/Installer/install(archive:options:progress:)``.
    package init(
        _ archive: String,
        options: InstallOptions,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws {
        self.archive = archive
        digest = try Self.digest(of: archive)
        temporary = try TemporaryStore()
        self.options = options
        report = try temporary.using { store in
            try Self.install(archive, in: store, options, activating: true, progress)
        }
    }

    /// The bundle.
    package var name: BundleName { report.name }
    /// The release's version.
    package var version: BundleVersion { report.version }
    /// A snapshot of the store, in which the release is active; for as long as there is the draft.
    package var snapshot: StoreSnapshot { temporary.store.snapshot }
    /// The release, for as long as there is the draft.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the temporary folder can't be read.
    package var release: Release { get throws { try release(version) } }

    /// The release's files, with their places in a copy of the archive.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when the copy can't be read.
    func contentList(in copy: String, _ digest: Digest) throws -> ContentList {
        try ContentList(of: release(report.version), in: copy, digest, options: options)
    }

    /// The digest of the release's files.
    func filesDigest() throws -> Digest { try release(report.version).filesDigest() }

    /// A shorter patch is made even if clients fetch little more without it: the reply to a request takes as much.
    private static let tinyPatchByteCount: Int64 = 4_096

    /// Makes the patch that leads from an earlier release to this one, unless it isn't clearly smaller than what else a client
    /// could fetch.
    ///
    /// - Parameters:
    ///   - archive: The earlier release's archive.
    ///   - version: The earlier release's version.
    ///   - list: This release's files.
    ///   - listByteCount: The length of their list, as clients fetch it before single files; nil when they can't.
    ///   - archiveByteCount: The length of this release's archive.
    ///   - progress: Called now and then with the bytes of this release that are done.
    /// - Throws: As ``/BundleInstall/Installer/install(archive:options:progress:)``.
    func patch(
        from archive: String,
        _ version: BundleVersion,
        to list: ContentList,
        listByteCount: Int64?,
        archiveByteCount: Int64,
        progress: (ByteProgress) -> Void
    ) throws -> Result<(base: Digest, bytes: [UInt8]), UnpatchedBase.Reason> {
        let store = temporary.store
        var options = options
        options.manifest = options.manifest?.with(version: version)
        options.expected = (name, version)
        _ = try temporary.using { try Self.install(archive, in: $0, options, activating: false) { _ in } }
        let base = try release(version)
        guard let new = try WholeContent(of: release(report.version), in: store),
            let old = try WholeContent(of: base, in: store)
        else { return .failure(.tooLarge) }
        let lacked = MissingEntries(of: list) { base.asset(withContent: $0) != nil }
        let entries = listByteCount.flatMap { list in lacked.map { list + $0.ranges.byteCount } }
        let alternative = min(entries ?? archiveByteCount, archiveByteCount)
        let worthwhile = max(alternative / 10 * 9, min(Self.tinyPatchByteCount, archiveByteCount))
        let bytes = try PatchEncoder.encode(
            from: old,
            to: new,
            within: min(Int(worthwhile), PatchLimits.maximumByteCount),
            progress: progress
        )
        return bytes.map { .success((base.filesDigest(), $0)) } ?? .failure(.notSmaller(than: alternative))
    }

    private static func digest(of archive: String) throws(BundleError) -> Digest {
        do {
            return try Digest(ofFile: archive)
        } catch {
            throw BundleError(.inputUnavailable, "\(error.problem); check the path", error.remedy, cause: error)
        }
    }

    private func release(_ version: BundleVersion) throws -> Release {
        try temporary.store.refresh()
        guard let release = temporary.store.snapshot.bundles[name]?.release(version) else {
            throw BundleError(.storeUnavailable, "the temporary store lost \(name)@\(version); try again")
        }
        return release
    }

    private static func install(
        _ archive: String,
        in store: BundleStore,
        _ options: InstallOptions,
        activating: Bool,
        _ progress: (ByteProgress) -> Void
    ) throws -> InstallReport {
        var options = options
        options.activates = activating
        return try Installer(store, formats: .zipAndTar).install(archive: archive, options: options, progress: progress)
    }
}

/// An earlier release from which no patch leads to the one that is published. A value type; safe to share between threads.
package struct UnpatchedBase: Sendable {
    /// Why there is none.
    package enum Reason: Error, CustomStringConvertible {
        /// Clients fetch about as much without one: the number of bytes.
        case notSmaller(than: Int64)
        /// One of the releases is longer than patches can be made for.
        case tooLarge
        /// The earlier release's archive isn't in the folder.
        case archiveMissing
        /// The file with the archive's name isn't the one that the feed offers.
        case archiveChanged
        /// It couldn't be made.
        case failed(String)

        package var description: String {
            switch self {
            case .notSmaller(let byteCount):
                "it would hardly be smaller than the \(ByteCount.text(byteCount)) that are fetched without it"
            case .tooLarge:
                "patches are made for releases of at most \(ByteCount.text(Int64(PatchLimits.maximumWholeByteCount)))"
            case .archiveMissing: "its archive isn't in the folder"
            case .archiveChanged: "its archive isn't the one that the feed offers"
            case .failed(let problem): problem
            }
        }
    }

    /// The earlier release.
    package let version: BundleVersion
    package let reason: Reason
}
