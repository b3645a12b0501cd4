import GRDB

extension Catalog {
    /// The segments that releases other than these refer to: those whose files can't be opened, which therefore don't say
    /// what they need.
    func segments(usedByOthersThan releases: Set<Int64>) throws -> Set<FileIdentifier> {
        try read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT release, segment FROM releaseSegment")
            let names = rows.compactMap { row in
                row.value("release").map(releases.contains) == true ? nil : row.text("segment")
            }
            return Set(names.compactMap { FileIdentifier(name: $0) })
        }
    }

    /// Gives releases other indexes, all in one transaction. What else is known of them stays.
    ///
    /// - Throws: ``BundleError`` with code `storeBusy`, and changes nothing, when one of them isn't what it was.
    func relocate(_ releases: [RelocatedRelease]) throws {
        try change { database in
            for release in releases {
                try DigestedTable.release.changing(release.id, in: database) {
                    try database.execute(
                        sql: "UPDATE release SET indexFile = ? WHERE id = ? AND indexFile = ?",
                        arguments: [release.index.name, release.id, release.replacedIndex.name]
                    )
                    guard database.changesCount == 1 else {
                        throw BundleError(
                            .storeBusy,
                            "another process has changed the store in \(layout.root); try again"
                        )
                    }
                }
                try Self.setSegments(release.segments, of: release.id, in: database)
            }
        }
    }
}
