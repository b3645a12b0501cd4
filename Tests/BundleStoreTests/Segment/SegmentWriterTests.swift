import BundleTesting
import Testing

@testable import BundleStore

@Suite("SegmentWriter")
struct SegmentWriterTests {
    private static let bufferByteCount = 1 << 20

    private func write(_ content: [UInt8], by chunkByteCount: Int, to writer: SegmentWriter) throws -> ContentLocation {
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

    @Test(
        "contents are kept once and read back, on both sides of the buffer's end",
        arguments: [-66, -65, -64, -63, -1, 0, 1, 100, bufferByteCount, 2 * bufferByteCount + 7],
        [65_536, 5 << 20]
    )
    func deduplication(_ offset: Int, _ chunkByteCount: Int) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: 3)
            let (small, large) = (random.bytes(5_000), random.bytes(Self.bufferByteCount + offset))
            let contents = [small, large, small, large, [], large + [1], [], large, [9], small]
            let writer = try SegmentWriter(in: store.layout) { _ in nil }
            let locations = try contents.map { try write($0, by: chunkByteCount, to: writer) }
            #expect(Set(locations).count == 5)
            #expect(writer.newByteCount == UInt64(5_000 + 2 * large.count + 2))
            #expect(try writer.finish())

            let segment = try Segment(writer.identifier, in: store.layout)
            for (content, location) in zip(contents, locations) {
                let range = Int(location.offset)..<Int(location.offset + location.byteCount)
                #expect(segment.slice(range)?.withUnsafeBytes { Digest(of: $0) } == Digest(of: content))
            }
            #expect(segment.byteCount == 64 + Int(writer.newByteCount))
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("what the store holds already isn't written, and a segment without anything new isn't made")
    func known() async throws {
        try await withStore { store, directory in
            let elsewhere = ContentLocation(segment: FileIdentifier(value: 7), offset: 64, byteCount: 3)
            let digest = Digest(of: [1, 2, 3])
            let writer = try SegmentWriter(in: store.layout) { $0 == digest ? elsewhere : nil }
            #expect(try write([1, 2, 3], by: 2, to: writer) == elsewhere)
            #expect(writer.newByteCount == 0)
            #expect(try !writer.finish())
            #expect(try directory.names(in: "segments").isEmpty)
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("an empty content alone makes a segment that holds it")
    func emptyContent() async throws {
        try await withStore { store, _ in
            let writer = try SegmentWriter(in: store.layout) { _ in nil }
            let location = try write([], by: 1, to: writer)
            #expect(try writer.finish())
            #expect(location == ContentLocation(segment: writer.identifier, offset: 64, byteCount: 0))
            #expect(try Segment(writer.identifier, in: store.layout).slice(64..<64)?.count == 0)
        }
    }

    @Test("a content that wasn't ended isn't in the segment", arguments: [10, bufferByteCount, 3 * bufferByteCount])
    func unended(_ count: Int) async throws {
        try await withStore { store, _ in
            let writer = try SegmentWriter(in: store.layout) { _ in nil }
            _ = try write([1, 2, 3], by: 3, to: writer)
            try [UInt8](repeating: 5, count: count).withUnsafeBytes { try writer.append($0) }
            #expect(try writer.finish())
            #expect(try Segment(writer.identifier, in: store.layout).byteCount == 67)
        }
    }

    @Test("a discarded segment leaves no file", arguments: [0, 10, 3 * bufferByteCount])
    func discard(_ count: Int) async throws {
        try await withStore { store, directory in
            let writer = try SegmentWriter(in: store.layout) { _ in nil }
            _ = try write([UInt8](repeating: 5, count: count), by: 100_000, to: writer)
            writer.discard()
            #expect(try directory.names(in: "segments").isEmpty)
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }
}
