import Foundation
import SystemPackage

extension BundleStore {
    /// Determines how much room each part of the store takes. Iterates the indexes and reads no content.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be read;
    ///   `CancellationError` when the task is cancelled.
    package func storageReport() throws -> StorageReport {
        try Self.accessing(path) {
            while true {
                try refresh()
                do {
                    return try storageReport(of: snapshot.sortedBundles.flatMap(\.releases))
                } catch let error as Errno {
                    // Another process may have removed files that were being read.
                    guard try catalog.generation() != snapshot.generation else { throw error }
                }
            }
        }
    }

    private func storageReport(of releases: [Release]) throws -> StorageReport {
        var report = StorageReport(versions: releases.map { StorageReport.Version(release: $0) })
        let undetermined = try catalog.segments(usedByOthersThan: Set(releases.map(\.record.id)))
        for segment in try fileSizes(in: layout.segments, suffix: StoreLayout.segmentSuffix) {
            try Task.checkCancellation()
            try report.add(segment.name, byteCount: segment.byteCount, releases, undetermined)
        }
        for (number, release) in releases.enumerated() {
            report.versions[number].indexByteCount = Int64(release.index.byteCount)
        }
        report.indexByteCount = try fileSizes(in: layout.indexes).byteCount
        let bodyFiles = try fileSizes(in: layout.cache).byteCount
        // Short bodies are in the catalog.
        let bodies = try catalog.read { try CacheState(in: $0).sums?.byteCount ?? 0 }
        report.cacheByteCount = max(bodyFiles, bodies)
        report.variantByteCount = try fileSizes(in: layout.variants).byteCount
        report.downloadByteCount = try fileSizes(in: layout.downloads).byteCount
        report.incomingByteCount = try fileSizes(in: layout.incoming).byteCount
        let catalogName = layout.catalog.lastComponent?.string ?? ""
        report.catalogByteCount = try fileSizes(in: layout.root).filter { $0.name.hasPrefix(catalogName) }.byteCount
        report.catalogByteCount -= min(max(bodies - bodyFiles, 0), report.catalogByteCount)
        report.quota = try catalog.storage().quota
        return report
    }

    /// The files in a folder, without `suffix` at the end of their names. Files that disappear meanwhile are left out.
    private func fileSizes(in folder: FilePath, suffix: String = "") throws -> [(name: String, byteCount: Int64)] {
        guard try Durable.exists(folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.string).compactMap { name in
            guard let status = try? folder.appending(name).stat(), status.type != .directory else { return nil }
            return (String(name.dropLast(suffix.count)), Int64(status.size))
        }
    }
}

extension [(name: String, byteCount: Int64)] {
    fileprivate var byteCount: Int64 { reduce(0) { $0 + $1.byteCount } }
}

extension StorageReport {
    /// Adds a segment, whose file may be of any length.
    ///
    /// - Parameter undetermined: The segments whose other references aren't known.
    fileprivate mutating func add(
        _ name: String,
        byteCount: Int64,
        _ releases: [Release],
        _ undetermined: Set<FileIdentifier>
    ) throws {
        segmentCount += 1
        let total = max(byteCount - Int64(SegmentFormat.headerByteCount), 0)
        contentByteCount += total
        var rest = total
        let segment = FileIdentifier(name: name)
        if let segment {
            let contents = SegmentContents(segment: segment, releases: releases)
            try contents.forEachExtent(within: Int(byteCount)) { byteCount, uses in
                rest -= Int64(byteCount)
                add(Int64(byteCount), of: uses)
            }
        }
        if segment.map(undetermined.contains) == true { undeterminedByteCount += rest } else { deadByteCount += rest }
    }

    private mutating func add(_ count: Int64, of uses: ArraySlice<ContentUse>) {
        if uses.count > 1 { sharedByteCount += count }
        for use in uses {
            if uses.count > 1 {
                versions[Int(use.release)].sharedByteCount += count
            } else {
                versions[Int(use.release)].ownByteCount += count
            }
        }
    }
}
