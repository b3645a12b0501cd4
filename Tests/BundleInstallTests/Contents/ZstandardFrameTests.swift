import BundleInstall
import Testing

@Suite("A document in one Zstandard frame")
struct ZstandardFrameTests {
    private static let document = Array(String(repeating: #"{"path": "app.js", "size": 5}"#, count: 10_000).utf8)

    @Test("is the same after it was encoded and decoded, and shorter between")
    func roundTrip() throws {
        let frame = try #require(ZstandardFrame.encode(Self.document))
        #expect(frame.count < Self.document.count / 100)
        #expect(ZstandardFrame.decode(frame, maximumByteCount: Self.document.count) == Self.document)
    }

    @Test("is refused when it breaks off, something follows it, or it is longer than it may be", arguments: [-1, 0, 1])
    func refused(change: Int) throws {
        let frame = try #require(ZstandardFrame.encode(Self.document))
        let changed = change < 0 ? frame.dropLast() : frame + [UInt8](repeating: 0, count: change)
        let limit = Self.document.count - (change == 0 ? 1 : 0)
        #expect(ZstandardFrame.decode(Array(changed), maximumByteCount: limit) == nil)
    }
}
