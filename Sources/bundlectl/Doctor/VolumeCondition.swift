import BundleStore
import Foundation
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The file system that a folder is on, as the system says. A value.
package struct VolumeCondition: Sendable, Equatable {
    /// What a file system lacks that a store needs.
    package enum Weakness: Sendable, Equatable {
        /// Locks and memory that programs share don't reach other machines: `nfs`, `smb`, `9p`.
        case remote(String)
        /// Files have no owner and no permissions.
        case withoutPermissions(String)
        /// What it holds is lost with a restart.
        case inMemory
    }

    /// The space that can still be written, in bytes.
    package let freeByteCount: Int64
    /// The space that installs leave free, in bytes.
    package let reservedByteCount: Int64
    /// How many files can still be made; nil where the file system has no limit of its own.
    package let freeFileCount: Int64?
    /// Whether it is mounted read-only.
    package let isReadOnly: Bool
    /// What it lacks.
    package let weakness: Weakness?

    /// Takes the values as they are.
    package init(
        freeByteCount: Int64,
        reservedByteCount: Int64,
        freeFileCount: Int64?,
        isReadOnly: Bool,
        weakness: Weakness?
    ) {
        (self.freeByteCount, self.reservedByteCount) = (freeByteCount, reservedByteCount)
        (self.freeFileCount, self.isReadOnly, self.weakness) = (freeFileCount, isReadOnly, weakness)
    }

    /// Asks the system.
    ///
    /// - Throws: `Errno` when the folder isn't there or can't be reached.
    package init(of folder: String) throws {
        let room = try FileSystemRoom(of: FilePath(folder))
        var status = statvfs()
        while statvfs(folder, &status) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        self.init(
            freeByteCount: room.freeByteCount,
            reservedByteCount: room.reservedByteCount,
            freeFileCount: status.f_files == 0 ? nil : Int64(clamping: status.f_favail),
            isReadOnly: UInt64(status.f_flag) & UInt64(ST_RDONLY) != 0,
            weakness: Self.weakness(of: folder)
        )
    }

    private static let weaknesses: [String: Weakness] = [
        "nfs": .remote("NFS"), "nfs4": .remote("NFS"), "cifs": .remote("SMB"), "smb3": .remote("SMB"),
        "9p": .remote("9P"), "ceph": .remote("Ceph"), "fuse.sshfs": .remote("SSHFS"),
        "vfat": .withoutPermissions("FAT"),
        "exfat": .withoutPermissions("exFAT"), "tmpfs": .inMemory, "ramfs": .inMemory,
    ]

    private static func weakness(of folder: String) -> Weakness? {
        guard let table = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) else { return nil }
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        return kind(ofDevice: UInt64(truncatingIfNeeded: status.st_dev), in: table).flatMap { weaknesses[$0] }
    }

    /// The kind of file system on a device, by the table of proc_pid_mountinfo(5); nil where it isn't listed. Pure.
    static func kind(ofDevice device: UInt64, in table: String) -> String? {
        // makedev(3) of glibc and of musl.
        let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
        let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
        let line = table.split(separator: "\n").first { line in
            let columns = line.split(separator: " ", maxSplits: 3)
            return columns.count > 2 && columns[2] == "\(major):\(minor)"
        }
        guard let columns = line?.split(separator: " "), let dash = columns.firstIndex(of: "-"),
            columns.indices.contains(dash + 1)
        else { return nil }
        return String(columns[dash + 1])
    }
}
