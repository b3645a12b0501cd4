import BundleTesting
import Testing

@testable import BundleStore

@Suite("Segment")
struct SegmentTests {
    private static let content = Array("the content".utf8)
    private static let sound = SegmentFormat.header(fileByteCount: UInt64(64 + content.count)) + content

    private func withSegments(_ body: (_ open: ([UInt8]) throws -> Segment) throws -> Void) async throws {
        try await withStore { store, directory in
            try body { bytes in
                let identifier = FileIdentifier.random()
                try directory.write(bytes, to: "store/segments/\(identifier.name).segment")
                return try Segment(identifier, in: store.layout)
            }
        }
    }

    @Test(
        "a slice lies inside the contents or is nil",
        arguments: [
            (64..<75, "the content"), (68..<75, "content"), (64..<64, ""), (75..<75, ""), (0..<75, nil), (63..<70, nil),
            (64..<76, nil), (75..<76, nil), (76..<76, nil), (-1..<70, nil), (64..<Int.max, nil),
        ] as [(Range<Int>, String?)]
    )
    func slice(_ range: Range<Int>, _ expected: String?) async throws {
        try await withSegments { open in
            let slice = try open(Self.sound).slice(range)
            #expect(slice.map { String(decoding: $0.array, as: UTF8.self) } == expected)
        }
    }

    @Test("one that was truncated anywhere, or has grown, is refused with its path")
    func length() async throws {
        try await withSegments { open in
            for bytes in Self.sound.indices.map({ Array(Self.sound.prefix($0)) }) + [Self.sound + [0]] {
                let error = #expect(throws: BundleError.self, "\(bytes.count) bytes") { try open(bytes) }
                #expect(error?.code == .storeDamaged)
                #expect(error?.message.contains(".segment") == true)
            }
        }
    }

    @Test("a changed header is refused", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func header(_ mask: UInt8) async throws {
        try await withSegments { open in
            for position in 0..<24 {
                var damaged = Self.sound
                damaged[position] ^= mask
                let error = #expect(throws: BundleError.self, "byte \(position)") { try open(damaged) }
                let isNewer = damaged[8..<12] != Self.sound[8..<12] && damaged[8] > 0
                #expect(error?.code == (isNewer ? .newerFormat : .storeDamaged))
            }
        }
    }

    @Test("a segment of a newer format is refused with the advice to update")
    func newerVersion() async throws {
        try await withSegments { open in
            var newer = Self.sound
            newer[8] = 9
            let error = #expect(throws: BundleError.self) { try open(newer) }
            #expect(error?.code == .newerFormat)
            #expect(error?.message.hasSuffix("has format version 9, this program reads 1; update this program") == true)
        }
    }

    @Test("random bytes are refused", arguments: [0, 1, 63, 64, 4_096])
    func randomBytes(_ count: Int) async throws {
        try await withSegments { open in
            var random = SeededGenerator(seed: 1)
            let error = #expect(throws: BundleError.self) { try open(random.bytes(count)) }
            #expect(error?.message.contains("is not a store file") == true)
        }
    }
}
