import BundleStore

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
