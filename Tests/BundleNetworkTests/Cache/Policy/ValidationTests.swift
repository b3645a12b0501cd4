import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Validation")
struct ValidationTests {
    private static let modified = "Tue, 07 Nov 2023 22:13:20 GMT"

    @Test(
        "§4.3.1: every validator of the stored response is sent",
        arguments: [
            ([], [:]),
            ([("ETag", "\"a\"")], ["if-none-match": "\"a\""]),
            ([("ETag", "W/\"a\"")], ["if-none-match": "W/\"a\""]),
            ([("Last-Modified", modified)], ["if-modified-since": modified]),
            (
                [("ETag", "\"a\""), ("Last-Modified", modified)],
                ["if-none-match": "\"a\"", "if-modified-since": modified]
            ),
            ([("ETag", "*")], [:]), ([("ETag", "a")], [:]), ([("ETag", "\"a\", \"b\"")], [:]),
            ([("ETag", "w/\"a\"")], [:]), ([("ETag", "")], [:]),
            ([("Last-Modified", "yesterday")], [:]),
        ] as [([(String, String)], [String: String])]
    )
    func preconditions(fields: [(String, String)], expected: [String: String]) {
        let preconditions = CacheExchange(fields).stored().preconditions
        let sent = preconditions.map { ($0.name.canonicalName, $0.value) }
        #expect(Dictionary(uniqueKeysWithValues: sent) == expected)
    }

    @Test(
        "§4.3.4: a 304 confirms a response unless its validators identify another one",
        arguments: [
            ([], [], true),
            ([("ETag", "\"a\"")], [], true),
            ([("ETag", "\"a\"")], [("ETag", "\"a\"")], true),
            ([("ETag", "\"a\"")], [("ETag", "\"b\"")], false),
            ([("ETag", "\"a\"")], [("ETag", "W/\"a\"")], true),
            ([("ETag", "W/\"a\"")], [("ETag", "W/\"a\"")], true),
            ([("ETag", "W/\"a\"")], [("ETag", "\"a\"")], false),
            ([], [("ETag", "\"a\"")], false),
            ([("ETag", "\"a\"")], [("ETag", "a")], false),
            ([("Last-Modified", modified)], [("Last-Modified", modified)], true),
            ([("Last-Modified", modified)], [("Last-Modified", "Tue, 07 Nov 2023 22:13:21 GMT")], false),
            ([("Last-Modified", modified)], [("Last-Modified", "Tuesday, 07-Nov-23 22:13:20 GMT")], true),
            ([("Last-Modified", modified)], [], true),
            ([("ETag", "\"a\""), ("Last-Modified", modified)], [("ETag", "\"a\""), ("Last-Modified", "?")], true),
        ] as [([(String, String)], [(String, String)], Bool)]
    )
    func confirmation(stored: [(String, String)], notModified: [(String, String)], isConfirmed: Bool) {
        let response = CacheExchange(status: 304, notModified).response
        #expect(CacheExchange(stored).stored().isConfirmed(by: response) == isConfirmed)
    }

    @Test("RFC 9110 §8.8.3: a tag with bytes that aren't UTF-8 is sent back and confirmed byte by byte")
    func obsText() {
        let tag: [UInt8] = [0x22, 0xE9, 0x22]
        let stored = storedResponse(tagged: tag)
        #expect(Array(stored.preconditions) == [HTTPField(name: .ifNoneMatch, value: tag)])
        #expect(stored.isConfirmed(by: notModified(tagged: tag)))
        #expect(!stored.isConfirmed(by: notModified(tagged: [0x22, 0xE8, 0x22])))
        #expect(!stored.isConfirmed(by: notModified(tagged: Array("\"\u{E9}\"".utf8))))
    }

    private func storedResponse(tagged tag: [UInt8]) -> StoredResponse {
        var exchange = CacheExchange()
        exchange.response.headerFields.append(HTTPField(name: .eTag, value: tag))
        return exchange.stored()
    }

    private func notModified(tagged tag: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: .notModified, headerFields: HTTPFields([HTTPField(name: .eTag, value: tag)]))
    }

    @Test("§4.3.3: any other status confirms nothing", arguments: [200, 206, 412, 404, 500, 503])
    func otherStatus(status: Int) {
        let response = CacheExchange(status: status, [("ETag", "\"a\"")]).response
        #expect(!CacheExchange([("ETag", "\"a\"")]).stored().isConfirmed(by: response))
    }
}
