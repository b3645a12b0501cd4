import BundleServing
import BundleStore
import NIOCore
import Testing

@testable import BundleServer
@testable import ServerCore

@Suite("BodyChunks")
struct BodyChunksTests {
    @Test(
        "parts of any size become chunks of one size",
        arguments: [[], [1], [0, 3], [262_144], [262_145], [100_000, 200_000, 300_000], [1_000_000, 1, 7]]
    )
    func chunks(_ sizes: [Int]) {
        let parts = sizes.enumerated().map { index, size in
            ByteSlice(copying: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) })
        }
        let body = ResponseBody(parts)
        let chunks = Array(BodyChunks(body))
        #expect(chunks.flatMap(\.readableBytesView) == body.array)
        #expect(chunks.dropLast().allSatisfy { $0.readableBytes == BodyChunks.maximumByteCount })
        #expect(chunks.allSatisfy { 1...BodyChunks.maximumByteCount ~= $0.readableBytes })
    }
}
