import BundleStore
import BundleTesting
import Testing
import Zstandard

@testable import BundleCoding

@Suite("Deltas between contents (RFC 9842 §5)")
struct DeltaTests {
    private static let old = Array(
        (0..<3_000).map { "export const value\($0) = \($0 &* 7_919 % 9_973);\n" }.joined().utf8
    )
    private static let new = Array(old[..<30_000]) + Array("export const added = true;\n".utf8) + Array(old[30_000...])

    private func delta(
        _ content: [UInt8],
        from dictionary: [UInt8],
        within byteCount: Int? = nil
    ) -> [UInt8]? {
        content.withUnsafeBytes { content in
            dictionary.withUnsafeBytes {
                ContentEncoder.encode(
                    content,
                    from: $0,
                    Digest(of: dictionary),
                    within: byteCount ?? content.count - 1,
                    giveWay: {}
                )
            }
        }
    }

    /// Decodes the bytes after the header as a client does.
    private func decode(_ frame: some Sequence<UInt8>, with dictionary: [UInt8], byteCount: Int) throws -> [UInt8] {
        let decoder = try #require(ZSTD_createDCtx())
        defer { ZSTD_freeDCtx(decoder) }
        let frame = Array(frame)
        return dictionary.withUnsafeBytes { dictionary in
            ZSTD_DCtx_refPrefix(decoder, dictionary.baseAddress, dictionary.count)
            return [UInt8](unsafeUninitializedCapacity: byteCount + 1) { result, count in
                let written = ZSTD_decompressDCtx(decoder, result.baseAddress, result.count, frame, frame.count)
                count = ZSTD_isError(written) == 0 ? written : 0
            }
        }
    }

    @Test("a small change takes a few bytes, after a header that names the dictionary")
    func small() throws {
        let coded = try #require(delta(Self.new, from: Self.old))
        #expect(coded.count < 200)
        let head: [UInt8] = [0x5E, 0x2A, 0x4D, 0x18, 0x20, 0x00, 0x00, 0x00]
        #expect(Array(coded.prefix(8)) == head)
        #expect(Digest(of: Self.old).withUnsafeBytes { $0.elementsEqual(coded[8..<40]) })
        #expect(try decode(coded.dropFirst(40), with: Self.old, byteCount: Self.new.count) == Self.new)
    }

    @Test("the same content under another name takes almost no bytes")
    func same() throws {
        let coded = try #require(delta(Self.old, from: Self.old))
        #expect(coded.count < 100)
        #expect(try decode(coded.dropFirst(40), with: Self.old, byteCount: Self.old.count) == Self.old)
    }

    @Test("contents longer than the smallest window keep their dictionary in reach")
    func long() throws {
        var generator = SeededGenerator(seed: 1)
        let old = generator.noise(9 << 20)
        let new = Array(old[1_000_000...]) + Array(old[..<1_000_000])
        let coded = try #require(delta(new, from: old))
        #expect(try decode(coded.dropFirst(40), with: old, byteCount: new.count) == new)
        #expect(coded.count < 4 << 20)
    }

    @Test("a delta that isn't smaller is nil")
    func noGain() {
        var generator = SeededGenerator(seed: 1)
        let noise = generator.noise(5_000)
        #expect(delta(noise, from: Self.old) == nil)
        #expect(delta(Self.new, from: Self.old, within: 40) == nil)
        #expect(delta([], from: Self.old) == nil)
    }

    @Test(
        "the window is 8 MB, or a quarter more than the dictionary, and never more than 128 MB",
        arguments: [(0, 23), (1_000_000, 23), (6_000_000, 23), (14_000_000, 24), (30_000_000, 25), (Int.max, 27)]
            as [(Int, Int32)]
    )
    func window(_ byteCount: Int, _ expected: Int32) {
        #expect(DictionaryZstandard.maximumWindowLog(dictionaryByteCount: byteCount) == expected)
    }
}
