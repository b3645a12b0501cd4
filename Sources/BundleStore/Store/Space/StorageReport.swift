import Foundation
import SystemPackage

/// How much room each part of a store takes. Sizes are in bytes. A value type; safe to share between threads.
package struct StorageReport: Sendable, Encodable {
    /// The sizes of a version.
    package struct Version: Sendable {
        /// The release.
        package let release: Release
        /// The contents that only this version refers to. Without it they are dead, and pruning frees them together
        /// with segments that hold nothing else or are mostly dead.
        package internal(set) var ownByteCount: Int64 = 0
        /// The contents that other versions, of this bundle or another, refer to as well.
        package internal(set) var sharedByteCount: Int64 = 0
        /// Its index.
        package internal(set) var indexByteCount: Int64 = 0
    }

    /// The store's parts; documents have versions and quota beside them.
    private enum CodingKeys: CodingKey {
        case segmentCount, contentByteCount, sharedByteCount, deadByteCount, undeterminedByteCount, indexByteCount
        case cacheByteCount, variantByteCount, downloadByteCount, incomingByteCount, catalogByteCount
    }

    /// Every version that can be opened, by bundle, the active one first.
    package internal(set) var versions: [Version]
    /// The number of segments.
    package internal(set) var segmentCount = 0
    /// The contents of all segments: those of single versions, the shared ones (each once), the undetermined and the
    /// dead ones.
    package internal(set) var contentByteCount: Int64 = 0
    /// The contents that several versions refer to, each once.
    package internal(set) var sharedByteCount: Int64 = 0
    /// The contents that no version refers to. Pruning frees them when they make up more than half of a segment, or
    /// when the store exceeds its quota.
    package internal(set) var deadByteCount: Int64 = 0
    /// The contents that are, or may be, referred to only by versions that can't be opened. Pruning keeps them until
    /// these versions are repaired or removed. They don't count as dead.
    package internal(set) var undeterminedByteCount: Int64 = 0
    /// The indexes of all versions.
    package internal(set) var indexByteCount: Int64 = 0
    /// Cached responses from the network.
    package internal(set) var cacheByteCount: Int64 = 0
    /// Coded forms of contents. They have a quota of their own.
    package internal(set) var variantByteCount: Int64 = 0
    /// Archives that are being downloaded, and partial downloads.
    package internal(set) var downloadByteCount: Int64 = 0
    /// Files that are being written, or were being written when a process was killed; pruning removes the latter.
    package internal(set) var incomingByteCount: Int64 = 0
    /// The catalog including its log.
    package internal(set) var catalogByteCount: Int64 = 0
    /// The maximum total size of segments, indexes and cached bodies; nil for no limit.
    package internal(set) var quota: Int64?
}

extension BundleStore {
    /// Determines how much room each part of the store takes. Iterates the indexes and reads no content.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be read;
    ///   `CancellationError` when the task is cancelled.
    package func storageReport() throws -> StorageReport {
        try StoreAccess.run(at: path) {
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
        let undetermined = try catalog.releases.segments(usedByOthersThan: Set(releases.map(\.record.id)))
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
        let bodies = try catalog.connection.read { try CacheState(in: $0).sums?.byteCount ?? 0 }
        report.cacheByteCount = max(bodyFiles, bodies)
        report.variantByteCount = try fileSizes(in: layout.variants).byteCount
        report.downloadByteCount = try fileSizes(in: layout.downloads).byteCount
        report.incomingByteCount = try fileSizes(in: layout.incoming).byteCount
        let catalogName = layout.catalog.lastComponent?.string ?? ""
        report.catalogByteCount = try fileSizes(in: layout.root).filter { $0.name.hasPrefix(catalogName) }.byteCount
        report.catalogByteCount -= min(max(bodies - bodyFiles, 0), report.catalogByteCount)
        report.quota = try catalog.storage.use().quota
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
