import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("ContentReader")
struct ContentReaderTests {
    @Test("checks a content at its location, piece by piece", arguments: [0, 1, 1 << 18, (1 << 20) + 3])
    func comparing(_ count: Int) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: 1)
            let content = random.bytes(count)
            let writer = try SegmentWriter(in: store.layout)
            try content.withUnsafeBytes { try writer.append($0) }
            let location = writer.endContent()
            #expect(try writer.finish())
            let reader = ContentReader(store.layout)
            #expect(content.withUnsafeBytes { reader.holds($0, at: location) })
            #expect(reader.holds(contentOf: Digest(of: content), at: location))
            #expect(!reader.holds(contentOf: Digest(of: content + [0]), at: location))
            var other = content + [0]
            #expect(!other.withUnsafeBytes { reader.holds($0, at: location) })
            if count > 0 {
                other = content
                other[count - 1] ^= 1
                #expect(!other.withUnsafeBytes { reader.holds($0, at: location) })
            }
            try FileManager.default.removeItem(
                atPath: directory.path(of: "store/segments/\(writer.identifier.name).segment")
            )
            let later = ContentReader(store.layout)
            #expect(!content.withUnsafeBytes { later.holds($0, at: location) })
        }
    }

    @Test(
        "finds nothing at an impossible location",
        arguments: [
            (0, 64), (63, 1), (64, 1_000), (UInt64.max, 2), (UInt64(Int64.max), 1), (64, UInt64.max), (75, 0), (63, 0),
        ]
            as [(UInt64, UInt64)]
    )
    func places(_ offset: UInt64, _ byteCount: UInt64) async throws {
        try await withStore { store, _ in
            let writer = try SegmentWriter(in: store.layout)
            try [UInt8](repeating: 0, count: 10).withUnsafeBytes { try writer.append($0) }
            _ = writer.endContent()
            #expect(try writer.finish())
            let location = ContentLocation(segment: writer.identifier, offset: offset, byteCount: byteCount)
            #expect(!ContentReader(store.layout).holds(contentOf: Digest(of: []), at: location))
            #expect(!ContentReader(store.layout).holds(UnsafeRawBufferPointer(start: nil, count: 0), at: location))
        }
    }

    @Test(
        "finds nothing in a segment that readers refuse, unless asked for its remaining contents",
        arguments: HeaderDefect.allCases
    )
    func refused(_ defect: HeaderDefect) async throws {
        try await withStore { store, directory in
            let writer = try SegmentWriter(in: store.layout)
            for content in ["first", "last"] {
                try Array(content.utf8).withUnsafeBytes { try writer.append($0) }
                _ = writer.endContent()
            }
            #expect(try writer.finish())
            try directory.change("store/segments/\(writer.identifier.name).segment", defect.apply)
            let location = ContentLocation(segment: writer.identifier, offset: 64, byteCount: 5)
            let digest = Digest(of: Array("first".utf8))
            #expect(!ContentReader(store.layout).holds(contentOf: digest, at: location))
            #expect(ContentReader(store.layout, checksHeaders: false).holds(contentOf: digest, at: location))
        }
    }
}
