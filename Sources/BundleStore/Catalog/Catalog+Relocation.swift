import GRDB

extension Catalog {
    /// The segments that releases other than these refer to: releases whose files can't be opened, so that their
    /// indexes can't tell which segments they need.
    func segments(usedByOthersThan releases: Set<Int64>) throws -> Set<FileIdentifier> {
        try read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT release, segment FROM releaseSegment")
            let names = rows.compactMap { row in
                row.value("release").map(releases.contains) == true ? nil : row.text("segment")
            }
            return Set(names.compactMap { FileIdentifier(name: $0) })
        }
    }

    /// Assigns new indexes to releases, all in one transaction. Their other columns are kept.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy`, with nothing changed, when one of them has changed
    ///   meanwhile.
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
