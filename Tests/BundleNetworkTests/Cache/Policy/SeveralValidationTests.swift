import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Validation of several stored responses")
struct SeveralValidationTests {
    private func stored(_ tag: String?, at seconds: TimeInterval = 0) -> StoredResponse {
        var exchange = CacheExchange([("Vary", "Foo")] + (tag.map { [("ETag", $0)] } ?? []))
        exchange.response.headerFields[.date] = CacheExchange.date(seconds)
        return exchange.stored()
    }

    private func notModified(_ tag: String?) -> HTTPResponse {
        CacheExchange(status: 304, tag.map { [("ETag", $0)] } ?? []).response
    }

    @Test("§4.3.1: If-None-Match has the tags of all of them, the latest first, each once")
    func preconditions() {
        let responses = [
            stored("\"a\"", at: 1), stored("W/\"b\"", at: 3), stored(nil, at: 4), stored("\"a\"", at: 2),
            stored("bad", at: 5),
        ]
        #expect(responses.preconditions == [.ifNoneMatch: "W/\"b\", \"a\""])
        #expect([stored(nil)].preconditions == [:] && [StoredResponse]().preconditions == [:])
    }

    @Test("tags that no longer fit are left out")
    func bound() throws {
        let responses = (0..<100).map { stored("\"\(String(repeating: "x", count: 90))\($0)\"", at: TimeInterval($0)) }
        let value = try #require(responses.preconditions[.ifNoneMatch])
        #expect(value.utf8.count <= StoredResponse.maximumPreconditionByteCount && value.contains("x99\""))
    }

    @Test("§4.3.4: a 304 confirms the response whose tag it has; without a tag, the only one")
    func confirmation() {
        let responses = [stored("\"a\"", at: 1), stored("\"b\"", at: 3), stored("\"a\"", at: 2), stored(nil, at: 4)]
        #expect(responses.confirmed(by: notModified("\"a\"")) == responses[2])
        #expect(responses.confirmed(by: notModified("\"b\"")) == responses[1])
        #expect(responses.confirmed(by: notModified("\"c\"")) == nil)
        #expect(responses.confirmed(by: notModified(nil)) == nil)
        #expect(responses.suffix(1).confirmed(by: notModified(nil)) == nil)
        #expect([responses[0], responses[3]].confirmed(by: notModified(nil)) == responses[0])
        #expect(responses.confirmed(by: CacheExchange([("ETag", "\"a\"")]).response) == nil)
    }

    @Test(
        "§3.4: a part belongs to a stored response with the same strong validator",
        arguments: [
            ([("ETag", "\"a\"")], [("ETag", "\"a\"")], true), ([("ETag", "\"a\"")], [("ETag", "\"b\"")], false),
            ([("ETag", "W/\"a\"")], [("ETag", "W/\"a\"")], false), ([("ETag", "\"a\"")], [], false),
            ([], [("ETag", "\"a\"")], false), ([], [], false),
            ([("Last-Modified", CacheExchange.date(-1))], [("Last-Modified", CacheExchange.date(-1))], true),
            ([("Last-Modified", CacheExchange.date(0))], [("Last-Modified", CacheExchange.date(0))], false),
            ([("Last-Modified", CacheExchange.date(-2))], [("Last-Modified", CacheExchange.date(-1))], false),
            (
                [("Last-Modified", CacheExchange.date(-1)), ("ETag", "\"a\"")],
                [("Last-Modified", CacheExchange.date(-1))],
                false
            ),
        ] as [([(String, String)], [(String, String)], Bool)]
    )
    func combining(stored: [(String, String)], part: [(String, String)], isCombinable: Bool) {
        #expect(
            CacheExchange(stored).stored().isCombinable(with: CacheExchange(status: 206, part).response) == isCombinable
        )
        #expect(!CacheExchange(stored).stored().isCombinable(with: CacheExchange(part).response))
    }
}
