import BundleTesting
import SystemPackage
import Testing

@testable import BundleStore

@Suite("Checking extents of a file")
struct ExtentCheckTests {
    /// Short ones that are read together, long ones that aren't, empty ones, and gaps that are read or skipped.
    private static let lengths = [0, 1, 10, 0, 300_000, 5, 1 << 18, 262_143, 64, 1_000_000, 7]
    private static let gaps = [0, 0, 9, 0, 100_000, 3, 0, 0, 65_536, 1, 70_000]

    /// Provides a file with these extents after a segment's header, and a check of it.
    private func withFile(
        changing position: Int? = nil,
        cutTo count: Int? = nil,
        _ body: (ExtentCheck, [ContentExtent]) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var random = SeededGenerator(seed: 3)
            var bytes = [UInt8](repeating: 0, count: SegmentFormat.headerByteCount)
            var extents: [ContentExtent] = []
            for (length, gap) in zip(Self.lengths, Self.gaps) {
                bytes += random.bytes(gap)
                let content = random.bytes(length)
                extents.append(
                    ContentExtent(
                        offset: UInt64(bytes.count),
                        byteCount: UInt64(length),
                        digest: Digest(of: content)
                    )
                )
                bytes += content
            }
            if let position { bytes[position] ^= 1 }
            if let count { bytes.removeLast(bytes.count - count) }
            let path = try directory.write(bytes, to: "file")
            let file = try FileDescriptor.open(FilePath(path), .readOnly)
            try file.closeAfter {
                try body(ExtentCheck(file: file, byteCount: bytes.count), extents)
            }
        }
    }

    @Test("finds nothing in an intact one, and reports progress")
    func sound() async throws {
        try await withFile { check, extents in
            var last = 0
            let problems = try check.problems(of: extents) { last = $0 }
            #expect(problems.isEmpty)
            #expect(last == check.byteCount)
        }
    }

    @Test("finds the one extent with a changed bit", arguments: lengths.indices.filter { lengths[$0] > 0 })
    func changed(_ index: Int) async throws {
        var extents: [ContentExtent] = []
        try await withFile { extents = $1 }
        let first = Int(extents[index].offset)
        for position in [first, first + Self.lengths[index] - 1] {
            try await withFile(changing: position) { check, extents in
                let problems = try check.problems(of: extents)
                #expect(problems == [extents[index]: .changed])
            }
        }
    }

    @Test("finds those outside the file, in the header, or at impossible offsets")
    func outside() async throws {
        try await withFile(cutTo: 1_000) { check, extents in
            let problems = try check.problems(of: extents)
            #expect(Set(problems.keys) == Set(extents.filter { $0.offset + $0.byteCount > 1_000 }))
            #expect(problems.values.allSatisfy { $0 == .missing })
            let digest = extents[0].digest
            let odd = [(0, 10), (63, 0), (100, UInt64.max), (UInt64.max, 0), (UInt64.max, UInt64.max)].map {
                ContentExtent(offset: $0.0, byteCount: $0.1, digest: digest)
            }
            #expect(try check.problems(of: odd).count == odd.count)
        }
    }

    @Test("reports a file that can't be read or has become shorter")
    func unreadable() async throws {
        try await withFile { check, extents in
            let longer = ExtentCheck(file: check.file, byteCount: check.byteCount + 100)
            let beyond = ContentExtent(
                offset: UInt64(check.byteCount) + 1,
                byteCount: 99,
                digest: extents[0].digest
            )
            #expect(try longer.problems(of: extents + [beyond]) == [beyond: .unreadable(.ioError)])
            let folder = try FileDescriptor.open(FilePath("/"), .readOnly)
            try folder.closeAfter {
                let unreadable = ExtentCheck(file: folder, byteCount: check.byteCount)
                let expected = Dictionary(
                    uniqueKeysWithValues: extents.filter { $0.byteCount > 0 }
                        .map { ($0, ContentProblem.unreadable(.isDirectory)) }
                )
                let problems = try unreadable.problems(of: extents)
                #expect(problems == expected)
            }
        }
    }
}
