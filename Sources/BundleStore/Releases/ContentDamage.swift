extension ContentProblem {
    /// The damage that this is to a file.
    func damage(to asset: Asset) -> StoreDamage {
        let (release, (problem, remedy)) = (asset.release, parts)
        return StoreDamage(
            bundle: release.name,
            version: release.version,
            path: asset.path,
            problem,
            remedy,
            isNewer: self == .newerFormat
        )
    }
}

extension SegmentContents {
    init(segment: FileIdentifier, releases: [Release], maximumByteCount: Int = SegmentContents.maximumByteCount) {
        self.init(segment: segment, indexes: releases.map(\.index), maximumByteCount: maximumByteCount)
    }
}
