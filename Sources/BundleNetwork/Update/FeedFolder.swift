import BundleStore
import Foundation

/// A folder that a web server offers: archives, and the feed that lists them.
///
/// A value type; safe to share between threads. Two processes that publish into one folder take turns.
package struct FeedFolder: Sendable {
    /// The feed's name in the folder.
    package static let feedFileName = "feed.json"

    private let path: String

    /// Names a folder; the first ``publish(_:as:_:fileExtension:channels:progress:)`` creates it.
    package init(_ path: String) {
        self.path = path
    }

    /// Copies an archive into the folder and enters it into the feed. The archive is complete and durable before the
    /// feed names it, and each is replaced atomically: a concurrent download gets the old state or the new one.
    ///
    /// - Parameters:
    ///   - archive: The archive. The caller checks that it can be installed and matches the name and the version.
    ///   - name: The bundle.
    ///   - version: The release. If the feed offers it with the same content, only its channels are set.
    ///   - fileExtension: The extension of the copy's name, `zip` or `tar.gz`.
    ///   - channels: The channels that offer the release; empty for every channel.
    ///   - progress: Called periodically with the bytes of the archive that are copied.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the folder's feed is wrong or another
    ///   bundle's, `versionConflict` when it offers the version with other content, `invalidArchive` when the archive
    ///   can't be read, `outputUnavailable` when the folder can't be written; `CancellationError` when the task is
    ///   cancelled.
    package func publish(
        _ archive: String,
        as name: BundleName,
        _ version: BundleVersion,
        fileExtension: String,
        channels: [String],
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> Publication {
        try makeFolder()
        let lock = try FolderLock(path)
        let document = try document(for: name)
        let location = try BundlePath("\(name)-\(version).\(fileExtension)")
        let archivePath = "\(path)/\(location)"
        let copy = try StagedFile(for: archivePath)
        let (size, digest) = try copy.copy(archive, progress: progress)
        let entry = FeedEntry(version: version, path: location, size: size, digest: digest, channels: channels)
        let offered = document.entries.first { $0.version == version }
        try Self.check(entry, against: offered, in: feedPath)
        try copy.publish()
        try StagedFile(for: feedPath).publish(document.adding(entry).encoded())
        _ = consume lock
        return Publication(entry: entry, archivePath: archivePath, feedPath: feedPath, isRepeated: offered != nil)
    }

    private var feedPath: String { "\(path)/\(Self.feedFileName)" }

    private func makeFolder() throws(BundleError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw BundleError(
                .outputUnavailable,
                "the folder \(Printable.line(path)) can't be made; check what is at its place, and the permissions",
                cause: error
            )
        }
    }

    private func document(for name: BundleName) throws(BundleError) -> FeedDocument {
        guard FileManager.default.fileExists(atPath: feedPath) else { return FeedDocument(name: name) }
        guard let bytes = FileManager.default.contents(atPath: feedPath) else {
            throw BundleError(.outputUnavailable, "\(Printable.line(feedPath)) can't be read; check its permissions")
        }
        let document = try FeedDocument.parse(Array(bytes), named: Printable.line(feedPath))
        guard document.name == name else {
            throw BundleError(
                .invalidFeed,
                "\(Printable.line(feedPath)) is the feed of \(document.name), not of \(name); publish into another folder"
            )
        }
        return document
    }

    private static func check(_ entry: FeedEntry, against offered: FeedEntry?, in feed: String) throws(BundleError) {
        guard let offered, offered.digest != entry.digest else { return }
        throw BundleError(
            .versionConflict,
            "\(Printable.line(feed)) offers \(offered.version) with other content; raise the version"
        )
    }
}
