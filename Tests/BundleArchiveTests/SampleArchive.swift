import BundleArchive
import BundlePublishing
import Testing

/// A small bundle, written in any format.
enum SampleArchive {
    static let files: [(name: String, contents: [UInt8])] = [
        ("bundle.json", Array(#"{"name": "shop", "version": "1.0.0"}"#.utf8)),
        ("assets/app.4f3a.js", pattern(count: 20_000)),
        ("assets/größe/日本語.svg", pattern(count: 513)),
        ("assets/empty.txt", []),
        ("assets/" + String(repeating: "long/", count: 40) + "name.css", pattern(count: 512)),
    ]

    private static let written = Result {
        try Dictionary(uniqueKeysWithValues: ArchiveFormat.allCases.map { ($0, try bytes($0, files: files)) })
    }

    static func bytes(_ format: ArchiveFormat) throws -> [UInt8] {
        try #require(written.get()[format])
    }

    static func bytes(_ format: ArchiveFormat, files: [(name: String, contents: [UInt8])]) throws -> [UInt8] {
        let file = try TemporaryArchive()
        let writer = try ArchiveWriter(path: file.path, format: format)
        for (name, contents) in files {
            try contents.withUnsafeBytes { try writer.add(name: name, contents: $0) }
        }
        try writer.finish()
        return try file.bytes
    }

    /// A small archive of one file that unpacks to `byteCount` zeros, compressed as well as `format` can.
    static func zeros(byteCount: Int64, format: ArchiveFormat) throws -> [UInt8] {
        let file = try TemporaryArchive()
        let writer = try ArchiveWriter(path: file.path, format: format)
        try writer.add(name: "zeros.bin", byteCount: byteCount) { buffer throws(ArchiveError) in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return buffer.count
        }
        try writer.finish()
        return try file.bytes
    }

    /// Bytes that compress badly and don't repeat in the period of a block.
    static func pattern(count: Int) -> [UInt8] {
        let wholeCount = count / noise.count
        return (0..<wholeCount).flatMap { _ in noise } + noise.prefix(count % noise.count)
    }

    // A prime number of bytes, and longer than deflate's window.
    private static let noise: [UInt8] = {
        var state: UInt32 = 2_463_534_242
        return (0..<50_021).map { _ in
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            return UInt8(truncatingIfNeeded: state)
        }
    }()
}
