extension BundleStore {
    /// Reads everything again and compares it with its digest.
    ///
    /// - Parameter progress: Called now and then with the bytes read so far and the bytes in all.
    /// - Returns: What is wrong; empty when all is well.
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the catalog can't be read.
    public func verify(progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }) throws -> [StoreDamage] {
        try refresh()
        let snapshot = snapshot
        let total = snapshot.releases.reduce(0) { $0 + $1.byteCount }
        var done: Int64 = 0
        var damage = snapshot.damage
        for release in snapshot.releases {
            damage += release.indexDamage()
            for asset in release.assets {
                damage += asset.damage().map { [$0] } ?? []
                done += Int64(asset.byteCount)
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
            problem: "its content doesn't match its digest; reinstall the bundle with --force"
        )
    }
}
