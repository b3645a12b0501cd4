import BundleModel
import CArchive
import Foundation

/// libarchive's reader object, with its errors as ``ArchiveError``.
final class ReadHandle {
    let pointer: OpaquePointer

    init() throws(ArchiveError) {
        guard let pointer = archive_read_new() else {
            throw ArchiveError(.unreadable, "can't be opened: out of memory", advice: "free some memory and try again")
        }
        self.pointer = pointer
    }

    deinit {
        archive_read_free(pointer)
    }

    /// Throws unless `status` is success. A warning is a failure too: libarchive only warns about a wrong checksum.
    func check(_ status: Int32) throws(ArchiveError) {
        if status != ARCHIVE_OK { throw failure() }
    }

    /// The error of the last call.
    func failure() -> ArchiveError {
        let text = archive_error_string(pointer).map { String(cString: $0) } ?? ""
        let detail =
            text.isEmpty ? "" : " (\(Printable.text(text.trimmingCharacters(in: .whitespacesAndNewlines))))"
        switch text {
        case _ where text.contains("truncated") || text.contains("Truncated"):
            return ArchiveError(.truncated, "ends too early\(detail)", advice: ArchiveError.fetchAgain)
        case _ where text.contains("Unsupported") || text.contains("not supported"):
            return ArchiveError(
                .unsupportedFormat,
                "uses a feature that isn't supported\(detail)",
                advice: "repack it with common settings"
            )
        case _ where text.hasPrefix("Error reading"):
            let number = archive_errno(pointer)
            return ArchiveError(.unreadable, "can't be read\(detail)", advice: "check the disk", cause: number)
        default:
            return ArchiveError(.damaged, "is damaged\(detail)", advice: ArchiveError.fetchAgain)
        }
    }
}
