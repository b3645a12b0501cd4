extension BundleStore {
    /// Reads every release again, or those of one bundle, and compares what it holds with its digests.
    ///
    /// - Parameters:
    ///   - name: The bundle, or nil for all.
    ///   - progress: Called now and then with the bytes read so far and the bytes in all.
    /// - Returns: What is wrong; empty when all is well.
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the catalog can't be read, `invalidArgument` when there
    ///   is no bundle of that name; `CancellationError` when the task is cancelled.
    public func verify(
        _ name: BundleName? = nil,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> [StoreDamage] {
        // Opened anew, because a file that is mapped already doesn't show that it was deleted.
        let snapshot = try Self.accessing(path) { try SnapshotLoader.load(catalog, layout, previous: nil) }
        var damage = snapshot.damage.filter { name == nil || $0.bundle == name }
        let releases = snapshot.releases.filter { name == nil || $0.name == name }
        if let name, releases.isEmpty, damage.isEmpty { _ = try bundle(name) }
        // A damaged catalog or index may hold any number, and none may end the process.
        let total = releases.reduce(0) { $0 &+ $1.byteCount }
        var done: Int64 = 0
        for release in releases {
            damage += release.indexDamage()
            for asset in release.assets {
                try Task.checkCancellation()
                damage += asset.damage().map { [$0] } ?? []
                done &+= Int64(asset.byteCount)
                progress(done, total)
            }
        }
        return damage
    }
}

extension Release {
    fileprivate func indexDamage() -> [StoreDamage] {
        if index.isIntact() && index.count == record.fileCount { return [] }
        return [
            StoreDamage(bundle: name, version: version, path: nil, problem: "its index is damaged; reinstall it")
        ]
    }
}

extension Asset {
    fileprivate func damage() -> StoreDamage? {
        let isIntact = contents.map { $0.withUnsafeBytes { Digest(of: $0) } == digest } ?? false
        guard !isIntact else { return nil }
        return StoreDamage(
            bundle: release.name,
            version: release.version,
            path: path,
            problem: "its content doesn't match its digest; reinstall the bundle"
        )
    }
}
