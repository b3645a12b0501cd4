import BundleTesting
import Testing

@testable import BundleStore

@Suite("BufferedFile")
struct BufferedFileTests {
    private static let capacity = 1 << 18

    @Test(
        "any sequence of appending and rewinding gives the same bytes as an array",
        arguments: 0..<12 as Range<UInt64>
    )
    func model(_ seed: UInt64) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: seed)
            let identifier = FileIdentifier.random()
            let file = try BufferedFile(creating: store.layout.temporary(identifier))
            var expected: [UInt8] = []
            for _ in 0..<30 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    expected.removeLast(Int.random(in: 0...expected.count, using: &random))
                    try file.rewind(to: UInt64(expected.count))
                case 1:
                    expected += try lend(to: file, &random)
                case 2:
                    try file.pad(toMultipleOf: 4_096)
                    while !expected.count.isMultiple(of: 4_096) { expected.append(0) }
                default:
                    let sizes = [0, 1, 4_999, Self.capacity / 2, Self.capacity - 1, Self.capacity, Self.capacity + 1]
                    let count = sizes.randomElement(using: &random) ?? 0
                    let bytes = random.bytes(count)
                    try file.append(bytes)
                    expected += bytes
                }
                #expect(file.position == UInt64(expected.count))
            }
            if expected.count > 3 {
                try file.overwriteStart(with: [1, 2, 3])
                expected.replaceSubrange(0..<3, with: [1, 2, 3])
            }
            try file.close(syncing: true)
            let written = try directory.read("store/incoming/\(identifier.name)")
            #expect(written.count == expected.count)
            #expect(Digest(of: written) == Digest(of: expected))
        }
    }

    /// Lends parts of a buffer, some of which are adjacent, and returns their bytes.
    private func lend(to file: BufferedFile, _ random: inout SeededGenerator) throws -> [UInt8] {
        let bytes = random.bytes(2 * Self.capacity)
        var ends = (0..<6).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
        ends.append(bytes.count)
        var pieces = zip([0] + ends, ends).map { $0..<$1 }
        pieces.remove(at: Int.random(in: pieces.indices, using: &random))
        try bytes.withUnsafeBytes { buffer in
            try file.lending {
                for piece in pieces { try file.append(UnsafeRawBufferPointer(rebasing: buffer[piece])) }
            }
        }
        return pieces.flatMap { bytes[$0] }
    }

    @Test("a file is never overwritten")
    func exclusive() async throws {
        try await withStore { store, _ in
            let path = store.layout.temporary(.random())
            let file = try BufferedFile(creating: path)
            #expect(throws: (any Error).self) { try BufferedFile(creating: path) }
            try file.close(syncing: false)
            try file.close(syncing: true)
        }
    }
}
