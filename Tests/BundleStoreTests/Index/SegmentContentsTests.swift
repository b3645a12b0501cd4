import BundleTesting
import Testing

@testable import BundleStore

@Suite("The contents of a segment that are in use")
struct SegmentContentsTests {
    /// Provides three releases that share contents, and the segments that they refer to.
    private func withReleases(_ body: ([Release], [FileIdentifier]) throws -> Void) async throws {
        try await withStore { store, _ in
            var random = SeededGenerator(seed: 7)
            for version in 1...3 {
                let files = (0..<40).map { number in
                    (
                        "file-\(number)",
                        String(repeating: "\(Int.random(in: 0..<60, using: &random)) ", count: number % 5)
                    )
                }
                try store.install("\(version)", Dictionary(uniqueKeysWithValues: files))
            }
            let releases = store.snapshot.releases
            try body(releases, Set(releases.flatMap(\.index.segments)).sorted { $0.value < $1.value })
        }
    }

    /// Every use in a segment, found with the simplest algorithm.
    private func uses(of segment: FileIdentifier, in releases: [Release]) -> Set<ContentUse> {
        var uses: Set<ContentUse> = []
        for (number, release) in releases.enumerated() {
            for entry in (0..<release.index.count).compactMap(release.index.entry)
            where release.index.segments[entry.segment] == segment {
                uses.insert(ContentUse(extent: ContentExtent(entry), release: UInt32(number)))
            }
        }
        return uses
    }

    @Test("are visited once each, in file order, for any size of the parts", arguments: [1, 2, 3, 7, 1_000])
    func parts(_ maximumCount: Int) async throws {
        try await withReleases { releases, segments in
            #expect(segments.count == 3)
            for segment in segments {
                let contents = SegmentContents(
                    segment: segment,
                    releases: releases,
                    maximumByteCount: maximumCount * MemoryLayout<ContentUse>.stride
                )
                var found: [ContentUse] = []
                var extents: [ContentExtent] = []
                try contents.forEachPart { part in
                    // An offset with more uses than that is visited alone.
                    #expect(part.count <= maximumCount || Set(part.map(\.offset)).count == 1)
                    found += part
                }
                try contents.forEachExtents { extents += $0 }
                #expect(found == found.sorted())
                #expect(Set(found).count == found.count)
                #expect(Set(found) == uses(of: segment, in: releases))
                #expect(extents == Set(found.map(\.extent)).sorted())
            }
        }
    }

    @Test("are none if no release refers to it")
    func unused() async throws {
        try await withReleases { releases, _ in
            try SegmentContents(segment: .random(), releases: releases).forEachPart { _ in Issue.record("a part") }
        }
    }
}
