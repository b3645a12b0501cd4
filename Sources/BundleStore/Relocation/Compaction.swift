import SystemPackage

import struct Crypto.SHA256

/// Copies the live contents of segments that are mostly dead to one new segment; also those of other segments when the
/// store exceeds its quota. Must run while the store is locked exclusively.
struct Compaction {
    /// A segment with contents that no release refers to.
    private struct Candidate {
        let contents: SegmentContents
        let fileByteCount: Int64
        let deadByteCount: Int64
        let isMostlyDead: Bool

        var segment: FileIdentifier { contents.segment }
    }

    let layout: StoreLayout
    let catalog: Catalog
    /// Every release that can be opened and changed; the segments of other releases are kept unchanged.
    let releases: [Release]
    /// How many bytes to free even from segments that are less than half dead, as far as possible.
    var excessByteCount: Int64 = 0

    /// Compacts the segments. A segment with damaged contents is kept unchanged: damage is neither spread nor lost. So
    /// are all segments when there is no room for the copy.
    ///
    /// - Throws: `Errno` when the disk fails, ``/BundleModel/BundleError``, `DatabaseError`; the store is then
    ///   unchanged.
    func run() throws -> CompactionReport {
        var report = CompactionReport()
        do {
            let candidates = try candidates().filter { try isSound($0, &report) }
            if !candidates.isEmpty { try compact(candidates, &report) }
        } catch let error as Errno where error == .noSpace || error == .diskQuotaExceeded {
            let (problem, remedy) = StorageFailure.explanation(of: error)
            report.warnings.append(Notice("segments with unused contents were not compacted: \(problem)", remedy))
        }
        return report
    }

    private func candidates() throws -> [Candidate] {
        let fixed = try catalog.releases.segments(usedByOthersThan: Set(releases.map(\.record.id)))
        let open = Dictionary(
            releases.flatMap(\.openSegments).map { ($0.identifier, $0.byteCount) },
            uniquingKeysWith: { first, _ in first }
        )
        let partlyDead = open.sorted { $0.key.value < $1.key.value }.compactMap { segment, byteCount in
            // Reporting unreadable segments is left to verification.
            fixed.contains(segment) ? nil : try? candidate(segment, byteCount)
        }
        var candidates = partlyDead.filter(\.isMostlyDead)
        var rest = excessByteCount - candidates.reduce(0) { $0 + $1.deadByteCount }
        let others = partlyDead.filter { !$0.isMostlyDead && $0.deadByteCount > 0 }
        for candidate in others.sorted(by: { $0.deadByteCount > $1.deadByteCount }) where rest > 0 {
            candidates.append(candidate)
            rest -= candidate.deadByteCount
        }
        return candidates
    }

    private func candidate(_ segment: FileIdentifier, _ byteCount: Int) throws -> Candidate {
        let contents = SegmentContents(segment: segment, releases: releases)
        let total = byteCount - SegmentFormat.headerByteCount
        var dead = total
        var isMostlyDead = true
        do {
            try contents.forEachExtent(within: byteCount) { byteCount, _ in
                dead -= byteCount
                isMostlyDead = dead > total / 2
                // Most segments aren't mostly dead, which shows quickly.
                if !isMostlyDead, excessByteCount == 0 { throw IsLive() }
            }
        } catch is IsLive {
            dead = 0
        }
        return Candidate(
            contents: contents,
            fileByteCount: Int64(byteCount),
            deadByteCount: Int64(dead),
            isMostlyDead: isMostlyDead
        )
    }

    private struct IsLive: Error {}

    private func isSound(_ candidate: Candidate, _ report: inout CompactionReport) throws -> Bool {
        if try isIntact(candidate) { return true }
        report.warnings.append(
            Notice(
                "segment \(candidate.segment.name) has unused contents and was not compacted, because it or an index is damaged",
                .repair(.content)
            )
        )
        return false
    }

    private func isIntact(_ candidate: Candidate) throws -> Bool {
        let users = releases.filter { $0.index.segments.contains(candidate.segment) }
        guard users.allSatisfy({ $0.index.isIntact() }),
            let file = try? FileDescriptor.open(layout.segment(candidate.segment), .readOnly, options: .closeOnExec)
        else { return false }
        return try file.closeAfter {
            let check = ExtentCheck(file: file, byteCount: Int(candidate.fileByteCount))
            var problemCount = 0
            try candidate.contents.forEachExtents { problemCount += try check.problems(of: $0).count }
            return problemCount == 0
        }
    }

    private func compact(_ candidates: [Candidate], _ report: inout CompactionReport) throws {
        let writer = try SegmentWriter(in: layout)
        let places = ContentTable(spillingTo: layout.temporary(.random()))
        let relocation = Relocation(
            layout: layout,
            catalog: catalog,
            segments: Set(candidates.map(\.segment)),
            destination: { digest, _ in try places.find(digest)?.location }
        )
        let relocated: [RelocatedRelease]
        do {
            for candidate in candidates { try copy(candidate, to: writer, places) }
            _ = try writer.finish()
            relocated = try relocation.prepare(releases)
        } catch {
            writer.discard()
            try? Durable.remove(layout.segment(writer.identifier))
            throw error
        }
        try relocation.commit(relocated)
        report.segmentCount = candidates.count
        report.byteCount = candidates.reduce(0) { $0 + $1.fileByteCount } - Int64(writer.fileByteCount)
    }

    private func copy(_ candidate: Candidate, to writer: SegmentWriter, _ places: ContentTable) throws {
        let reader = ContentReader(layout)
        try candidate.contents.forEachExtents { extents in
            for extent in extents where try places.find(extent.digest) == nil {
                try Task.checkCancellation()
                let location = try reader.copy(extent.digest, at: extent.location(in: candidate.segment), to: writer)
                guard let location else {
                    throw BundleError(
                        .storeDamaged,
                        "segment \(candidate.segment.name) has changed while it was copied",
                        .verify
                    )
                }
                try places.insert(ContentTable.Record(digest: extent.digest, location: location, isVerified: true))
            }
        }
    }
}

extension ContentReader {
    /// Copies a content and hashes it while doing so.
    ///
    /// - Returns: The new location; nil when the bytes read have a different digest, and the writer is then unchanged.
    /// - Throws: `Errno` when the content can't be read or written.
    func copy(_ digest: Digest, at location: ContentLocation, to writer: SegmentWriter) throws -> ContentLocation? {
        var hasher = SHA256()
        try readPieces(of: location) { piece in
            hasher.update(bufferPointer: piece)
            try writer.append(piece)
        }
        guard Digest(hasher.finalize()) == digest else {
            try writer.dropContent()
            return nil
        }
        return writer.endContent()
    }
}

/// The result of a compaction. A value type; safe to share between threads.
public struct CompactionReport: Sendable, Equatable {
    /// The number of mostly dead segments that were removed.
    public internal(set) var segmentCount = 0
    /// By how many bytes the segments shrank in total.
    public internal(set) var byteCount: Int64 = 0
    /// Why mostly dead segments were kept unchanged; one line each.
    public internal(set) var warnings: [Notice] = []
}
