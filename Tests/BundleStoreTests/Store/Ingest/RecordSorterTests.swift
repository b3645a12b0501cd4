import BundleTesting
import Testing

@testable import BundleStore

@Suite("RecordSorter")
struct RecordSorterTests {
    private func content(_ number: Int) -> IngestContent {
        IngestContent(
            digest: Digest(of: Array("\(number)".utf8)),
            segment: UInt32(number % 3),
            offset: UInt64(number) << 20,
            byteCount: UInt64(number)
        )
    }

    private func append(_ key: String, _ number: Int, to sorter: RecordSorter) throws {
        try Array(key.utf8).withUnsafeBytes { try sorter.append(.file, $0, content(number)) }
    }

    private func keys(of sorter: RecordSorter) throws -> [String] {
        var keys: [String] = []
        try sorter.forEach { keys.append(String(decoding: $0.key, as: UTF8.self)) }
        return keys
    }

    @Test(
        "records are returned in the order of their keys' bytes, complete, however small the runs",
        arguments: [4 << 20, 20_000, 1]
    )
    func order(_ runByteCount: Int) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: 2)
            let sorter = RecordSorter(in: store.layout, runByteCount: runByteCount)
            let keys = (0..<3_000).map { "\(String(repeating: "d/", count: $0 % 40))größe-\($0)" }
            for (number, key) in keys.enumerated().shuffled(using: &random) { try append(key, number, to: sorter) }
            let expected = keys.enumerated().sorted { $0.element.utf8.lexicographicallyPrecedes($1.element.utf8) }
            for _ in 0..<2 {
                var index = 0
                var wrong: [String] = []
                try sorter.forEach { record in
                    let content = content(expected[index].offset)
                    let isRight =
                        record.key.elementsEqual(expected[index].element.utf8) && record.kind == .file
                        && record.content.digest == content.digest && record.content.segment == content.segment
                        && record.content.offset == content.offset && record.content.byteCount == content.byteCount
                    if !isRight { wrong.append(expected[index].element) }
                    index += 1
                }
                #expect(wrong.isEmpty)
                #expect(index == keys.count)
            }
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("more may be added after an iteration", arguments: [4 << 20, 1])
    func later(_ runByteCount: Int) async throws {
        try await withStore { store, _ in
            let sorter = RecordSorter(in: store.layout, runByteCount: runByteCount)
            #expect(try keys(of: sorter).isEmpty)
            for key in ["m", "c"] { try append(key, 0, to: sorter) }
            #expect(try keys(of: sorter) == ["c", "m"])
            for key in ["z", "a", "d"] { try append(key, 0, to: sorter) }
            #expect(try keys(of: sorter) == ["a", "c", "d", "m", "z"])
            #expect(sorter.count == 5)
        }
    }

    @Test("the longest path and its folder fit", arguments: [4 << 20, 1])
    func longest(_ runByteCount: Int) async throws {
        try await withStore { store, _ in
            let sorter = RecordSorter(in: store.layout, runByteCount: runByteCount)
            let longest = String(repeating: "a", count: BundlePath.maximumByteCount)
            for key in [longest, longest + "/", "b"] { try append(key, 0, to: sorter) }
            #expect(try keys(of: sorter) == [longest, longest + "/", "b"])
        }
    }
}
