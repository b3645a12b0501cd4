import CZlib
import Testing

@testable import BundleArchive

/// With libdeflate, or with zlib where the system has none.
@Suite("Deflate data in memory")
struct BlockInflaterTests {
    private static let text = (0..<3_000).map { UInt8(truncatingIfNeeded: $0 / 7 &* 31) }

    /// Raw deflate data (RFC 1951).
    private static func deflated(_ content: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        try #require(deflateInit2_(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK)
        defer { deflateEnd(&stream) }
        var (content, output) = (content, [UInt8](repeating: 0, count: content.count + 100))
        let count = content.withUnsafeMutableBufferPointer { content in
            output.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.avail_in) = (content.baseAddress, uInt(content.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(output.count))
                return deflate(&stream, Z_FINISH) == Z_STREAM_END ? output.count - Int(stream.avail_out) : 0
            }
        }
        try #require(count > 0)
        return Array(output.prefix(count))
    }

    private static func inflate(
        _ data: [UInt8],
        to byteCount: Int,
        by inflater: BlockInflater = BlockInflater()
    ) throws -> (BlockInflater.Outcome, [UInt8]) {
        var output = [UInt8](repeating: 0, count: byteCount)
        let outcome = try data.withUnsafeBytes { data in
            try output.withUnsafeMutableBytes { output in try inflater.inflate(data, into: output) }
        }
        return (outcome, output)
    }

    @Test("is decompressed to exactly its length, by one inflater as often as needed", arguments: [0, 1, 100, 3_000])
    func whole(_ byteCount: Int) throws {
        let (content, inflater) = (Array(Self.text.prefix(byteCount)), BlockInflater())
        for _ in 0..<3 {
            #expect(try Self.inflate(Self.deflated(content), to: byteCount, by: inflater) == (.complete, content))
            #expect(try Self.inflate([0xFF, 0xFF], to: 10, by: inflater).0 == .damaged)
        }
    }

    @Test("that is shorter or longer than was declared isn't taken", arguments: [0, 2_999, 3_001, 10_000])
    func lengths(_ byteCount: Int) throws {
        #expect(try Self.inflate(Self.deflated(Self.text), to: byteCount).0 == .wrongSize)
    }

    @Test("with bytes after its end isn't taken")
    func excess() throws {
        #expect(try Self.inflate(Self.deflated(Self.text) + [0], to: Self.text.count).0 == .excessInput)
    }

    @Test("that is cut anywhere isn't taken")
    func truncated() throws {
        let data = try Self.deflated(Self.text)
        for count in 0..<data.count {
            let outcome = try Self.inflate(Array(data.prefix(count)), to: Self.text.count).0
            #expect(outcome == .damaged || outcome == .wrongSize, "\(count)")
        }
    }
}
