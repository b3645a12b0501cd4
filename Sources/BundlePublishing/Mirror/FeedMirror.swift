import BundleStore
import BundleTrust
import BundleUpdate
import Foundation

/// A folder with a copy of a published feed, as on a stick: the feed as it is, what its publisher has signed, and the files that it names.
/// Devices read it as the place that it was copied from.
///
/// A value type; safe to share between threads. Two processes that write into one folder take turns.
package struct FeedMirror: Sendable {
    /// What the names of files begin with that aren't whole yet.
    private static let partPrefix = ".mirror-"

    private let folder: FeedFolder
    private var path: String { folder.path }

    /// - Parameter folder: The first ``copy(_:by:signing:progress:)`` creates it. It may be a working copy of a place.
    package init(_ folder: FeedFolder) { self.folder = folder }

    /// Copies a feed. What is in the folder already isn't copied again, and what the feed doesn't name any more is removed. All is verified
    /// before it gets its name. The documents come last, and the timestamp after all of them: a process that is killed leaves the copy as it
    /// was, or one that the next call completes.
    ///
    /// - Parameters:
    ///   - origin: Where the feed is published.
    ///   - anchor: By what it has to be trusted.
    ///   - signing: Signs what the online key signs again, for longer; nil to copy that too.
    ///   - progress: Called periodically with the bytes that are copied.
    /// - Throws: As ``/BundleUpdate/FeedOrigin/read(_:at:)`` and ``/BundleUpdate/FeedOrigin/download(_:to:progress:)``;
    ///   ``/BundleModel/BundleError`` with code `invalidArgument` when the folder has another bundle's feed, or that of another publisher,
    ///   and when a key is missing; `invalidFeed` also when the folder has a later state of the feed, or the keys have signed one;
    ///   `outputUnavailable` when the folder can't be written; `CancellationError` when the task is cancelled.
    package func copy(
        _ origin: FeedOrigin,
        by anchor: FeedOrigin.Anchor = .firstUse,
        signing: MirrorSigning? = nil,
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> MirrorReport {
        try checkPlace(of: origin)
        try FileManager.default.makeFolder(path)
        let lock = try FolderLock(path)
        defer { withExtendedLifetime(lock) {} }
        let published = try await origin.read(anchor, at: folder.now())
        let files = try published.files()
        try checkNames(of: files)
        let copy = MirrorFolder(path: path)
        try copy.check(published)
        try signing?.check(published, from: origin)
        // Before the first copy, what is there is somebody's.
        let hadCopy = copy.hasCopy
        let documents = try MirroredDocuments(of: published, signing: signing, at: folder.now())
        try documents?.checkNames(of: files)
        var missing: [MirroredFile] = []
        for file in files where try await !isPresent(file) { missing.append(file) }
        let copied = try await self.copy(missing, from: origin, progress)
        try copy.write(published.bytes, documents)
        signing?.keep(published, from: origin)
        return MirrorReport(
            name: published.feed.name,
            feedName: folder.feedName,
            fileCount: files.count,
            copied: copied,
            removed: try hadCopy
                ? copy.removeOthers(than: published, documents, partPrefix: Self.partPrefix).map {
                    "\(folder.name)/\($0)"
                } : [],
            signatures: documents.map { documents in
                MirrorReport.Signatures(
                    expiry: documents.expiry,
                    isExpiryBounded: documents.isExpiryBounded,
                    firstRoot: Digest(of: documents.roots.first ?? []),
                    isFirstUse: anchor.isFirstUse
                )
            }
        )
    }

    /// - Returns: What was copied.
    private func copy(
        _ files: [MirroredFile],
        from origin: FeedOrigin,
        _ progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws -> [MirroredFile] {
        // A feed may say any size.
        let total = files.reduce(into: Int64(0)) { $0 = $0.addingReportingOverflow($1.file.size).partialValue }
        var done: Int64 = 0
        for file in files {
            try Task.checkCancellation()
            let part = "\(path)/\(Self.partPrefix)\(file.file.digest.hex)"
            // Not as a download, so that web servers may read it, as the umask says.
            if !FileManager.default.fileExists(atPath: part) { try StagedFile(for: part).publish([]) }
            try await origin.download(file.file, to: part) { [done] bytes in
                progress(ByteProgress(done: done.addingReportingOverflow(bytes.done).partialValue, total: total))
            }
            try publish(part, as: file.path)
            done = done.addingReportingOverflow(file.file.size).partialValue
        }
        return files
    }

    private func publish(_ part: String, as path: BundlePath) throws(BundleError) {
        let destination = "\(self.path)/\(path)"
        try checkLinks(to: path)
        try FileManager.default.makeFolder(URL(fileURLWithPath: destination).deletingLastPathComponent().path)
        let staged = try StagedFile(for: destination)
        do {
            try FileManager.default.moveItem(atPath: part, toPath: staged.path)
        } catch {
            throw BundleError(.outputUnavailable, "\(Printable.line(destination)) can't be written", cause: error)
        }
        try staged.publish()
    }

    /// Refuses a folder that is a link, which somebody else may have put on the stick: nothing is written outside of it.
    private func checkLinks(to path: BundlePath) throws(BundleError) {
        var folder = self.path
        for name in path.string.split(separator: "/").dropLast() {
            folder += "/\(name)"
            guard (try? FileManager.default.destinationOfSymbolicLink(atPath: folder)) != nil else { continue }
            throw BundleError(
                .outputUnavailable,
                "\(Printable.line(folder)) is a link, which isn't followed; remove it"
            )
        }
    }

    /// Whether a file is there, with the right bytes.
    private func isPresent(_ file: MirroredFile) async throws -> Bool {
        let path = "\(path)/\(file.path)"
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let size = attributes?[.size] as? Int else { return false }
        if size == 0, let digest = folder.digestInPlace {
            return try await digest(file.path.string) == file.file.digest
        }
        return Int64(size) == file.file.size && (try? Digest(ofFile: path)) == file.file.digest
    }

    /// A place over the network has no folders.
    private func checkNames(of files: [MirroredFile]) throws(BundleError) {
        guard folder.digestInPlace != nil, let file = files.first(where: { $0.path.string.contains("/") }) else {
            return
        }
        throw BundleError(
            .invalidFeed,
            "the feed names \(file.path), and \(Printable.line(folder.name)) has no folders; copy it to a folder, or publish the files "
                + "beside the feed"
        )
    }

    private func checkPlace(of origin: FeedOrigin) throws(BundleError) {
        guard let feed = FileURL(origin.url),
            FileManager.realPath(feed.path) == FileManager.realPath(folder.feedPath)
        else { return }
        throw BundleError(.invalidArgument, "\(Printable.line(path)) is the place itself; name another folder")
    }
}

/// What has come of a copy. A value type; safe to share between threads.
package struct MirrorReport: Sendable {
    /// What is signed in it.
    package struct Signatures: Sendable {
        /// Until when devices take it.
        package let expiry: Date
        /// Whether that is earlier than it was to be, since the root or the targets expire.
        package let isExpiryBounded: Bool
        /// SHA-256 of the first root.
        package let firstRoot: Digest
        /// Whether it is trusted because the root was there.
        package let isFirstUse: Bool
    }

    /// The bundle.
    package let name: BundleName
    /// The feed, as its folder names it.
    package let feedName: String
    /// How many files the feed names.
    package let fileCount: Int
    /// Those that were copied.
    package let copied: [MirroredFile]
    /// The paths of the files that were removed, sorted.
    package let removed: [String]
    /// Nil for a feed that isn't signed.
    package let signatures: Signatures?

    /// The bytes that were copied.
    package var copiedByteCount: Int64 {
        copied.reduce(into: 0) { $0 = $0.addingReportingOverflow($1.file.size).partialValue }
    }
}
