import Foundation
import SystemPackage

/// The files of the store that nothing refers to yet: archives being downloaded, and files being written. A value.
package struct TransientFiles: Sendable {
    /// The total size in bytes.
    private(set) var byteCount: Int64 = 0
    /// The size in bytes of the files that are not in use, which pruning may remove.
    private(set) var abandonedByteCount: Int64 = 0

    package init(in layout: StoreLayout) throws {
        for file in try Self.files(in: layout.downloads) {
            let size = layout.byteCount(of: file)
            byteCount += size
            if !DownloadFile.isInUse(file) { abandonedByteCount += size }
        }
        let incoming = try Self.files(in: layout.incoming).reduce(0) { $0 + layout.byteCount(of: $1) }
        byteCount += incoming
        // Writers hold the store's lock. It is only tried with a reason, because a writer would find the store busy
        // meanwhile.
        if incoming > 0, let lock = try? FileLock(layout.lock(nil), .exclusive, waits: false) {
            withExtendedLifetime(lock) {}
            abandonedByteCount += incoming
        }
    }

    private static func files(in folder: FilePath) throws -> [FilePath] {
        guard try StoreFolder.exists(folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.string).map { folder.appending($0) }
            .filter { (try? $0.stat(followTargetSymlink: false).type) == .regular }
    }
}
