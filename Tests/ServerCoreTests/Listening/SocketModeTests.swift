import ServerCore
import Testing

@Suite("SocketMode")
struct SocketModeTests {
    @Test("permissions are read as octal digits", arguments: [("660", 0o660), ("0777", 0o777), ("0", 0)])
    func valid(_ text: String, _ bits: Int) {
        #expect(SocketMode(text)?.bits == UInt16(bits))
    }

    @Test("anything else is nil", arguments: ["", "8", "1777", "00660", "+66", "rw-rw----", "٦٦٠"])
    func invalid(_ text: String) {
        #expect(SocketMode(text) == nil)
    }
}
