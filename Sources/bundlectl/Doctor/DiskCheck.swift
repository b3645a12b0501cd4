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

/// The file system that the store is on. Pure.
enum DiskCheck {
    /// With fewer an update may not get its files.
    private static let leastFileCount: Int64 = 1000

    /// - Parameters:
    ///   - path: The store's folder.
    ///   - use: What the store takes; nil when that can't be told.
    static func findings(_ volume: VolumeCondition, at path: String, use: StorageUse?) -> [Finding] {
        let findings = [
            room(volume, path), files(volume, path), mount(volume, path), weakness(volume, path), quota(use),
        ]
        .compactMap(\.self)
        guard findings.isEmpty else { return findings }
        let quota = use?.quota.map { ", quota \(ByteCount.text($0))" } ?? ""
        let inUse = use.map { ", \(ByteCount.text($0.byteCount)) in use" } ?? ""
        return [Finding(.ok, .disk, "\(ByteCount.text(volume.freeByteCount)) free for \(path)\(inUse)\(quota)")]
    }

    private static func room(_ volume: VolumeCondition, _ path: String) -> Finding? {
        guard volume.freeByteCount <= volume.reservedByteCount * 2 else { return nil }
        let isFull = volume.freeByteCount <= volume.reservedByteCount
        return Finding(
            isFull ? .error : .warning,
            .disk,
            "\(ByteCount.text(volume.freeByteCount)) are free for \(path), of which "
                + "\(ByteCount.text(volume.reservedByteCount)) are kept free\(isFull ? ": nothing can be installed" : "")",
            remedy: Advice.text(.freeSpace)
        )
    }

    private static func files(_ volume: VolumeCondition, _ path: String) -> Finding? {
        guard let count = volume.freeFileCount, count < leastFileCount else { return nil }
        return Finding(
            count == 0 ? .error : .warning,
            .disk,
            "the file system of \(path) has room for \(count) more files (inodes)",
            remedy: "remove small files there; “df -i \(path.shellWord)” counts them"
        )
    }

    private static func mount(_ volume: VolumeCondition, _ path: String) -> Finding? {
        guard volume.isReadOnly else { return nil }
        return Finding(
            .warning,
            .disk,
            "\(path) is mounted read-only: it can be served, and nothing can be installed",
            remedy: "after a failure of the disk: look at the system's log, and run “bundlectl verify”"
        )
    }

    private static func weakness(_ volume: VolumeCondition, _ path: String) -> Finding? {
        guard let weakness = volume.weakness else { return nil }
        let problem =
            switch weakness {
            case .remote(let name):
                "\(path) is on \(name), where locks and shared memory don't reach other machines: the catalog may be damaged"
            case .withoutPermissions(let name): "\(path) is on \(name), where files have no owner and no permissions"
            case .inMemory: "\(path) is in memory, and lost with the next restart"
            }
        return Finding(.warning, .disk, problem, remedy: "move the store to a local disk, and name it with --store")
    }

    private static func quota(_ use: StorageUse?) -> Finding? {
        guard let use, let warning = QuotaSummary.warnings(use).first else { return nil }
        let isRefusing = use.byteCount - (use.quota ?? .max) > use.removableByteCount
        return Finding(isRefusing ? .error : .warning, .disk, warning)
    }
}

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
