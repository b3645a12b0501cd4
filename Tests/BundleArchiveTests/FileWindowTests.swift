import BundleModel
import BundleTesting
import Foundation
import Testing

@testable import BundleArchive

@Suite("FileWindow")
struct FileWindowTests {
    /// More than the window reads at a time.
    private static let byteCount = 1 << 20

    private func withFile(_ body: (ArchiveFile, [UInt8]) throws -> Void) throws {
        var random = SeededGenerator(seed: 1)
        let bytes = random.bytes(Self.byteCount)
        let path = FileManager.default.temporaryDirectory.appending(path: "window-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(ArchiveFile(path: path), bytes)
    }

    @Test("any range, in any order, has the file's bytes", arguments: 0..<6 as Range<UInt64>)
    func model(_ seed: UInt64) throws {
        try withFile { file, bytes in
            var random = SeededGenerator(seed: seed)
            let end = Self.byteCount - 100
            let window = FileWindow(of: file, upTo: Int64(end))
            var offset = 0
            for _ in 0..<400 {
                // Mostly forward, as an archive is read, and sometimes elsewhere.
                offset =
                    Int.random(in: 0..<8, using: &random) == 0
                    ? Int.random(in: 0...end, using: &random)
                    : offset + Int.random(in: 0..<20_000, using: &random)
                let count = [0, 1, 30, 5_000, 300_000].randomElement(using: &random) ?? 0
                let found = try window.bytes(at: Int64(offset), count: count)
                let expected = bytes[min(offset, end)..<min(offset + count, end)]
                let isSame = expected.withUnsafeBytes { $0.hasSameBytes(as: found) }
                #expect(isSame, "\(count) bytes at \(offset)")
            }
        }
    }

    @Test("a block keeps its bytes after the window has moved")
    func block() throws {
        try withFile { file, bytes in
            let window = FileWindow(of: file, upTo: Int64(Self.byteCount))
            _ = try window.bytes(at: 100, count: 200)
            let block = try #require(window.block(holding: 100..<300))
            _ = try window.bytes(at: 900_000, count: 200)
            #expect(window.block(holding: 100..<300) == nil)
            let isSame = block.bytes(100..<300)?.elementsEqual(bytes[100..<300])
            #expect(isSame == true)
            #expect(block.bytes(0..<100) == nil)
            #expect(block.bytes(block.range.upperBound - 1..<block.range.upperBound + 1) == nil)
        }
    }

    @Test("reading backwards never reads more than twice the requested bytes")
    func backwards() throws {
        try withFile { file, _ in
            let window = FileWindow(of: file, upTo: Int64(Self.byteCount))
            for offset in stride(from: 800_000, through: 0, by: -20_000) {
                _ = try window.bytes(at: Int64(offset), count: 10_000)
                let block = try #require(window.block(holding: Int64(offset)..<Int64(offset + 10_000)))
                #expect(block.range.count <= 20_000)
            }
        }
    }
}
