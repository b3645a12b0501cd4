import BundleStore

/// A file of a release that the system downloads while the process is suspended or gone.
///
/// A value type; safe to share between threads.
package struct BackgroundDownload: Hashable, Sendable, LosslessStringConvertible {
    /// Another format gets another number: its tasks are unreadable to other versions of the program, which cancel them.
    private static let format = "offline-bundles/1"

    /// The bundle that it is for.
    package let bundle: BundleName
    /// The digest of the release's archive, by which failures are counted.
    package let archive: Digest
    /// The digest of the file.
    package let digest: Digest
    /// The file's length in bytes, 1 or more.
    package let size: Int64

    package init(bundle: BundleName, archive: Digest, digest: Digest, size: Int64) {
        (self.bundle, self.archive, self.digest, self.size) = (bundle, archive, digest, size)
    }

    /// Reads what ``description`` gives.
    ///
    /// - Returns: Nil for any other text.
    package init?(_ description: String) {
        let words = description.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 5, let bundle = BundleName(String(words[1])), let archive = Digest(hex: words[2]),
            let digest = Digest(hex: words[3]), let size = Int64(words[4]), size > 0
        else { return nil }
        self.init(bundle: bundle, archive: archive, digest: digest, size: size)
        guard self.description == description else { return nil }
    }

    /// Whether it makes a download of the other file needless.
    func serves(_ other: BackgroundDownload) -> Bool {
        self == other || digest == archive && archive == other.archive && bundle == other.bundle
    }

    /// The text that goes with the system's task, and survives the process. It has no secrets.
    package var description: String { "\(Self.format) \(bundle) \(archive.hex) \(digest.hex) \(size)" }
}

/// A task that the system carries out, or has carried out without having told yet. A value type; safe to share between threads.
package struct BackgroundTransfer: Hashable, Sendable {
    /// What tells it from the others of its session.
    package let identifier: Int
    /// That of the ``BackgroundDownload``, if this version of the program has started it.
    package let description: String?
    /// Whether anything has arrived. The system may have a task wait for power and Wi-Fi.
    package let hasBegun: Bool

    package init(identifier: Int, description: String?, hasBegun: Bool) {
        (self.identifier, self.description, self.hasBegun) = (identifier, description, hasBegun)
    }
}

/// Which tasks of a session go on when a bundle is updated. Pure; a value type.
package struct TransferSelection: Equatable {
    /// Whether the file is being downloaded, or the whole archive, which does as well. Another plan, which an earlier attempt may have
    /// failed with, doesn't end that.
    package private(set) var isUnderWay = false
    /// The tasks that are cancelled: those of other files of the bundle, second ones, those that can't be read, and one that the update
    /// doesn't wait for.
    package private(set) var cancelled: Set<Int> = []

    /// - Parameters:
    ///   - wanted: The file that the update needs; nil for none.
    ///   - bundle: The bundle that is updated.
    ///   - waits: Whether the update waits for a task that hasn't begun.
    ///   - transfers: The tasks of the session.
    package init(
        of wanted: BackgroundDownload?,
        for bundle: BundleName,
        waits: Bool,
        among transfers: [BackgroundTransfer]
    ) {
        for transfer in transfers {
            let download = transfer.description.flatMap(BackgroundDownload.init)
            if let download, download.bundle != bundle { continue }
            if !isUnderWay, let download, let wanted, download.serves(wanted), waits || transfer.hasBegun {
                isUnderWay = true
            } else {
                cancelled.insert(transfer.identifier)
            }
        }
    }
}
