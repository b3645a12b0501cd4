import BundleServing
import HTTPTypes
import Testing

@Suite("The deciding part of a request")
struct RequestViewTests {
    @Test("passes values by their bytes, also those that aren't UTF-8")
    func bytes() {
        let tag: [UInt8] = [0x22, 0xE9, 0x22]
        let bytes = Array("/xa.example".utf8) + tag
        var fields = DecidingFields()
        fields[.ifNoneMatch] = 11..<14
        let sent = bytes.withUnsafeBytes { bytes in
            RequestView(bytes, method: .get, target: 0..<2, authority: 2..<11, fields: fields).request
        }
        #expect(sent.path == "/x")
        #expect(sent.authority == "a.example")
        #expect(sent.headerFields[fields: .ifNoneMatch].first?.withUnsafeBytesOfValue(Array.init) == tag)
    }
}
