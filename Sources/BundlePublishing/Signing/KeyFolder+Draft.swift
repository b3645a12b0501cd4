import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// The draft of the next root. Plain TUF with the signatures so far, so that it may be copied to those who sign it.
extension KeyFolder {
    private var draftPath: String { "\(path)/\(RootDraft.fileName)" }

    /// The draft; nil for none, and for one that is a root by now, or was overtaken by another.
    ///
    /// - Throws: As ``RootDraft/init(parsing:after:at:)``; ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read.
    func draft(after roots: RootChain) throws(BundleError) -> RootDraft? {
        guard let bytes = try MetadataFile.read(RootDraft.fileName, in: path, atMost: TrustLimits.rootByteCount) else {
            return nil
        }
        do {
            return try RootDraft(parsing: bytes, after: roots, at: now())
        } catch {
            let version = (try? RootDocument(parsing: bytes))?.version ?? .max
            if version <= roots.latest.version { return nil }
            throw error
        }
    }

    /// Keeps a draft.
    func write(_ draft: RootDraft) throws(BundleError) { try StagedFile(for: draftPath).publish(draft.bytes) }

    /// Removes the draft, if there is one.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    func removeDraft() throws(BundleError) {
        guard FileManager.default.fileExists(atPath: draftPath) else { return }
        do {
            try FileManager.default.removeItem(atPath: draftPath)
        } catch {
            throw BundleError(
                .outputUnavailable,
                "\(Printable.line(draftPath)) can't be removed; check the folder's permissions",
                cause: error
            )
        }
    }

    /// Drops the draft of the next root. Keys that were made for it stay, and are of no use.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is none; `outputUnavailable` when it can't be removed.
    package func discardDraft() throws(BundleError) {
        let lock = try FolderLock(path)
        defer { withExtendedLifetime(lock) {} }
        guard FileManager.default.fileExists(atPath: draftPath) else { throw lacksDraft() }
        try removeDraft()
    }

    /// An error about a folder without a draft.
    func lacksDraft() -> BundleError {
        BundleError(
            .invalidArgument,
            "\(Printable.line(path)) has no draft of a root; copy \(RootDraft.fileName) there"
        )
    }
}
