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
        return writer.endContent()
    }

    @Test("contents are read back, around the write-back's steps", arguments: [1, 65_536, 5 << 20])
    func contents(_ chunkByteCount: Int) async throws {
        try await withStore { store, _ in
            var random = SeededGenerator(seed: 4)
            let contents = [100, 0, 9 << 20, 1, 8 << 20, 3].map { random.bytes(chunkByteCount == 1 ? $0 % 1_000 : $0) }
            let writer = try SegmentWriter(in: store.layout)
            let locations = try contents.map { try write($0, by: chunkByteCount, to: writer) }
            #expect(writer.contentByteCount == UInt64(contents.reduce(0) { $0 + $1.count }))
            #expect(try writer.finish())
            let segment = try Segment(writer.identifier, in: store.layout)
            for (content, location) in zip(contents, locations) {
                let range = Int(location.offset)..<Int(location.offset + location.byteCount)
                #expect(segment.slice(range)?.withUnsafeBytes { Digest(of: $0) } == Digest(of: content))
            }
        }
    }

    @Test("a long content begins on a page boundary, even with lent bytes, and the next one follows directly")
    func pages() async throws {
        try await withStore { store, directory in
            let (short, long) = ([UInt8](repeating: 1, count: 100), [UInt8](repeating: 2, count: 1 << 16))
            let contents = [short, long, short, long.dropLast(), long, long]
            let writer = try SegmentWriter(in: store.layout)
            var locations = try contents.map { try write(Array($0), by: $0.count, to: writer) }
            let lent = short + long
            try lent.withUnsafeBytes { lent in
                try writer.lending {
                    for range in [0..<short.count, short.count..<lent.count] {
                        try writer.append(UnsafeRawBufferPointer(rebasing: lent[range]))
                        locations.append(writer.endContent())
                    }
                }
            }
            #expect(try writer.finish())
            #expect(
                locations.map(\.offset) == [64, 4_096, 69_632, 69_732, 139_264, 204_800, 270_336, 274_432]
            )
            let file = try directory.read("store/segments/\(writer.identifier.name).segment")
            #expect(file.count == 274_432 + long.count)
            #expect(writer.fileByteCount == UInt64(file.count))
            for (content, location) in zip(contents.map(Array.init) + [short, long], locations) {
                #expect(Array(file[Int(location.offset)...].prefix(Int(location.byteCount))) == content)
            }
        }
    }

    @Test("a discarded long content is removed with its padding")
    func takenBack() async throws {
        try await withStore { store, _ in
            let writer = try SegmentWriter(in: store.layout)
            _ = try write([1, 2, 3], by: 3, to: writer)
            try [UInt8](repeating: 5, count: 1 << 16).withUnsafeBytes { try writer.append($0) }
            try writer.dropContent()
            #expect(try write([4], by: 1, to: writer).offset == 67)
            #expect(try writer.finish())
            #expect(try Segment(writer.identifier, in: store.layout).byteCount == 68)
        }
    }

    @Test("a segment without a content isn't created")
    func nothing() async throws {
        try await withStore { store, directory in
            let writer = try SegmentWriter(in: store.layout)
            #expect(try !writer.finish())
            #expect(try directory.names(in: "segments").isEmpty)
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("a single empty content makes a segment that holds it")
    func emptyContent() async throws {
        try await withStore { store, _ in
            let writer = try SegmentWriter(in: store.layout)
            let location = try write([], by: 1, to: writer)
            #expect(try writer.finish())
            #expect(location == ContentLocation(segment: writer.identifier, offset: 64, byteCount: 0))
            #expect(try Segment(writer.identifier, in: store.layout).slice(64..<64)?.count == 0)
        }
    }

    @Test("a content that wasn't ended isn't in the segment", arguments: [10, bufferByteCount, 3 * bufferByteCount])
    func unended(_ count: Int) async throws {
        try await withStore { store, _ in
            let writer = try SegmentWriter(in: store.layout)
            _ = try write([1, 2, 3], by: 3, to: writer)
            try [UInt8](repeating: 5, count: count).withUnsafeBytes { try writer.append($0) }
            #expect(try writer.finish())
            #expect(try Segment(writer.identifier, in: store.layout).byteCount == 67)
        }
    }

    @Test("a discarded segment leaves no file", arguments: [0, 10, 3 * bufferByteCount])
    func discard(_ count: Int) async throws {
        try await withStore { store, directory in
            let writer = try SegmentWriter(in: store.layout)
            _ = try write([UInt8](repeating: 5, count: count), by: 100_000, to: writer)
            writer.discard()
            #expect(try directory.names(in: "segments").isEmpty)
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }
}
