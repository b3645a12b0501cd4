import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("A stored response as bytes")
struct StoredResponseEncodingTests {
    private func response(isUsersCopy: Bool = false) throws -> StoredResponse {
        let latin1 = Array("filename=\"".utf8) + [0xE9, UInt8(ascii: "\"")]
        let odd = HTTPField(name: .contentDisposition, lenientValue: latin1)
        return StoredResponse(
            url: try #require(URL(string: "https://m.example.com/shop/x?q=%C3%A9")),
            selectingFields: [.acceptLanguage: "de"],
            status: 404,
            fields: HTTPFields([
                odd, HTTPField(name: .cacheControl, value: "max-age=60"),
                HTTPField(name: .cacheControl, value: "public"),
                HTTPField(name: try #require(HTTPField.Name("X-Empty")), value: ""),
            ]),
            isShareable: true,
            requestTime: Date(timeIntervalSince1970: 1_000_000.25),
            responseTime: Date(timeIntervalSince1970: 1_000_001.5),
            bodyLength: 12_345,
            user: isUsersCopy ? Digest(of: [1]) : nil,
            isOfflineCopy: isUsersCopy
        )
    }

    @Test(
        "is read as it was written, with values that aren't UTF-8, and with the spelling of names",
        arguments: [false, true]
    )
    func roundTrip(isUsersCopy: Bool) throws {
        let response = try response(isUsersCopy: isUsersCopy)
        let read = try #require(StoredResponse(encoded: response.encoded))
        #expect(read == response)
        #expect(read.fields.map(\.name.rawName) == response.fields.map(\.name.rawName))
        let bytes = read.fields.first?.withUnsafeBytesOfValue { Array($0) }
        #expect(bytes == Array("filename=\"".utf8) + [0xE9, UInt8(ascii: "\"")])
    }

    @Test("is compact")
    func size() throws {
        #expect(try response().encoded.count < 260)
    }

    @Test("that was cut anywhere, or has more, isn't read", arguments: [false, true])
    func cut(isUsersCopy: Bool) throws {
        let bytes = try response(isUsersCopy: isUsersCopy).encoded
        for count in 0..<bytes.count { #expect(StoredResponse(encoded: Array(bytes[..<count])) == nil) }
        #expect(StoredResponse(encoded: bytes + [0]) == nil)
    }

    @Test("never ends the process, whatever its bytes are", arguments: 1...20)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sound = try response(isUsersCopy: seed.isMultiple(of: 2)).encoded
        for _ in 0..<2_000 {
            var bytes = sound
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = .random(in: .min ... .max, using: &generator)
                case 1: bytes.replaceSubrange(place..<min(place + 4, bytes.count), with: [0xFF, 0xFF, 0xFF, 0xFF])
                default: bytes.removeSubrange(place..<min(place + 3, bytes.count))
                }
            }
            guard let read = StoredResponse(encoded: bytes) else { continue }
            #expect((200...599).contains(read.status) && read.bodyLength >= 0)
            #expect(StoredResponse(encoded: read.encoded)?.fields.count == read.fields.count)
        }
    }
}
