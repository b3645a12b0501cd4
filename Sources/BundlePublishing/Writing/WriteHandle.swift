import BundleArchive
import BundleModel
import CArchive

/// libarchive's writer object, with its errors as ``ArchiveError``.
final class WriteHandle {
    let pointer: OpaquePointer

    init() throws(ArchiveError) {
        guard let pointer = archive_write_new() else {
            throw ArchiveError(.unwritable, "can't be created: out of memory", advice: "free some memory and try again")
        }
        self.pointer = pointer
    }

    deinit {
        archive_write_free(pointer)
    }

    /// Throws unless `status` is success.
    func check(_ status: Int) throws(ArchiveError) {
        guard status < 0 else { return }
        let detail = archive_error_string(pointer).map { ": " + Printable.text(String(cString: $0)) } ?? ""
        throw ArchiveError(
            .unwritable,
            "can't be written\(detail)",
            advice: "check the folder, its permissions and the free space",
            cause: archive_errno(pointer)
        )
    }

    /// Throws unless `status` is success.
    func check(_ status: Int32) throws(ArchiveError) {
        try check(Int(status))
    }
}
