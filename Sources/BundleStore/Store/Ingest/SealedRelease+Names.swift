extension SealedRelease {
    /// Looks at all names of the release and at its build manifests, to decide which names have a hash of the content.
    ///
    /// - Throws: `Errno` when the ingested data can't be read.
    func nameJudgement(_ manifest: BundleManifest, comparedWith others: InstalledContents) throws -> NameJudgement {
        var (census, buildManifests) = (NameCensus(), BuildManifests())
        // The manifest's list decides alone.
        guard manifest.immutable == nil else { return NameJudgement(manifest, census, buildManifests) }
        var documents: [IngestContent] = []
        try forEachFile { path, content in
            if documents.count < BuildManifests.maximumCount, content.byteCount <= BuildManifests.maximumByteCount,
                BuildManifests.isOne(path)
            {
                documents.append(content)
            }
            guard let token = NameToken(in: path) else { return }
            census.add(token, at: path, others.comparison(path, content.digest))
        }
        for content in documents {
            let location = files.location(of: content)
            buildManifests.add(try files.writer.read(location, atMost: BuildManifests.maximumByteCount))
        }
        return NameJudgement(manifest, census, buildManifests)
    }
}
