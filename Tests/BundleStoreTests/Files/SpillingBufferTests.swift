import BundleTesting
import Testing

@testable import BundleStore

@Suite("SpillingBuffer")
struct SpillingBufferTests {
    @Test("any range is read back as appended, in memory or not", arguments: [1, 100, 4_096, 1 << 20])
    func reading(_ memoryByteCount: Int) async throws {
        try await withStore { store, directory in
            var random = SeededGenerator(seed: 8)
            let buffer = SpillingBuffer(spillingTo: store.layout.temporary(.random()), over: memoryByteCount)
            var expected: [UInt8] = []
            for _ in 0..<200 {
                let bytes = random.bytes(Int.random(in: 0...300, using: &random))
                try bytes.withUnsafeBytes { try buffer.append($0) }
                expected += bytes
            }
            #expect(buffer.byteCount == expected.count)
            for _ in 0..<500 {
                let start = Int.random(in: 0...expected.count, using: &random)
                let end = Int.random(in: start...min(start + 5_000, expected.count), using: &random)
                var found = [UInt8](repeating: 0, count: end - start)
                try found.withUnsafeMutableBytes { try buffer.read(at: start, into: $0) }
                #expect(Digest(of: found) == Digest(of: expected[start..<end]))
            }
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }
}
