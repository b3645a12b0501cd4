import BundleTesting
import Testing

@testable import BundleStore

@Suite("DeduplicatingWriter")
struct DeduplicatingWriterTests {
    private static let bufferByteCount = 1 << 20

    private func stream(
        _ content: [UInt8],
        by chunkByteCount: Int,
        to writer: DeduplicatingWriter
    ) throws -> ContentLocation {
        try content.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: chunkByteCount) {
                let end = min(start + chunkByteCount, bytes.count)
                try writer.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
        }
        let (digest, location) = try writer.endContent()
        #expect(digest == Digest(of: content))
        return location
    }

    private func add(_ content: [UInt8], to writer: DeduplicatingWriter) throws -> ContentLocation {
        try content.withUnsafeBytes { try writer.add($0, Digest(of: content)) }
    }

    @Test(
        "contents are stored once and read back, streamed or whole, around the buffer's length",
        arguments: [-66, -65, -64, -63, -1, 0, 1, 100, bufferByteCount, 2 * bufferByteCount + 7],
        [65_536, 5 << 20]
    )
    func deduplication(_ offset: Int, _ chunkByteCount: Int) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: 3)
            let (small, large) = (random.bytes(5_000), random.bytes(Self.bufferByteCount + offset))
            let contents = [small, large, small, large, [], large + [1], [], large, [9], small]
            let writer = try DeduplicatingWriter(in: store.layout, known: [])
            let locations = try contents.enumerated().map { number, content in
                number % 3 == 0 ? try add(content, to: writer) : try stream(content, by: chunkByteCount, to: writer)
            }
            #expect(Set(locations).count == 5)
            #expect(writer.newByteCount == UInt64(5_000 + 2 * large.count + 2))
            #expect(try writer.finish())

            let segment = try Segment(writer.segmentIdentifier, in: store.layout)
            for (content, location) in zip(contents, locations) {
                let range = Int(location.offset)..<Int(location.offset + location.byteCount)
                #expect(segment.slice(range)?.withUnsafeBytes { Digest(of: $0) } == Digest(of: content))
            }
            let end = [small, large, [], large + [1], [9]].reduce(64) { end, content in
                (content.count < 1 << 16 ? end : (end + 4_095) / 4_096 * 4_096) + content.count
            }
            #expect(segment.byteCount == end)
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("a content in the store isn't written again, in the table or not", arguments: [0, 100])
    func known(_ maximumTabledCount: Int) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a": "one", "b": "two"])
            let release = try store.release("1.0.0")
            let writer = try DeduplicatingWriter(
                in: store.layout,
                known: [release],
                maximumTabledCount: maximumTabledCount
            )
            let expected = try release.asset(at: BundlePath("a"))?.location
            #expect(try add(Array("one".utf8), to: writer) == expected)
            #expect(try stream(Array("one".utf8), by: 2, to: writer) == expected)
            #expect(try stream(Array("two".utf8), by: 2, to: writer).segment == expected?.segment)
            #expect(writer.newByteCount == 0)
            #expect(try !writer.finish())
            #expect(try directory.names(in: "segments").count == 1)
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("a damaged content in the store is written again, once, in the table or not", arguments: [0, 100])
    func damaged(_ maximumTabledCount: Int) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a": "one", "b": "two"])
            let file = "store/segments/" + (try directory.names(in: "segments")[0])
            var bytes = try directory.read(file)
            bytes[64] ^= 1
            try directory.write(bytes, to: file)
            let writer = try DeduplicatingWriter(
                in: store.layout,
                known: [store.release("1.0.0")],
                maximumTabledCount: maximumTabledCount
            )
            let location = try add(Array("one".utf8), to: writer)
            #expect(location.segment == writer.segmentIdentifier)
            #expect(try stream(Array("one".utf8), by: 3, to: writer) == location)
            #expect(try add(Array("two".utf8), to: writer).segment != writer.segmentIdentifier)
            #expect(writer.newByteCount == 3)
            writer.discard()
        }
    }

    @Test("an empty content that a damaged index places outside its segment isn't reused", arguments: [0, 100])
    func misplaced(_ maximumTabledCount: Int) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["a": ""])
            // The upper bytes of the offset of the only entry.
            try directory.change(directory.index(of: "1.0.0")) { $0[144 + 18] = 1 }
            let reader = try directory.openStore()
            let writer = try DeduplicatingWriter(
                in: store.layout,
                known: [reader.release("1.0.0")],
                maximumTabledCount: maximumTabledCount
            )
            #expect(try add([], to: writer).segment == writer.segmentIdentifier)
            writer.discard()
        }
    }
}
