import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Freshening by a response to HEAD (RFC 9111 §4.3.5)")
struct HeadFresheningTests {
    typealias Lines = [(String, String)]

    /// A HEAD request 100 seconds after the response was stored, whose body has 5 bytes.
    private func freshen(_ stored: Lines, byHead head: Lines, status: Int = 200) -> StoredResponse? {
        var exchange = CacheExchange(stored)
        exchange.response.status = HTTPResponse.Status(code: status)
        var request = CacheExchange.get()
        request.method = .head
        return CachePolicy(isShared: false).freshened(
            exchange.stored(),
            byHead: HTTPResponse(status: .ok, headerFields: CacheExchange.fields(head)),
            to: request,
            requestTime: CacheExchange.start.addingTimeInterval(99),
            responseTime: CacheExchange.start.addingTimeInterval(100)
        )
    }

    @Test("§3.2: the fields of the HEAD response replace the stored ones, which is as fresh as it then")
    func updated() throws {
        let stored = [("Cache-Control", "max-age=1"), ("A", "1"), ("B", "1"), ("Content-Type", "a/b")]
        let head = [("Cache-Control", "max-age=60"), ("A", "2"), ("Content-Type", "c/d"), ("Content-Length", "5")]
        let freshened = try #require(freshen(stored, byHead: head))
        #expect(freshened.fields[.cacheControl] == "max-age=60" && freshened.fields[HTTPField.Name("A")!] == "2")
        #expect(freshened.fields[HTTPField.Name("B")!] == "1" && freshened.fields[.contentType] == "a/b")
        #expect(freshened.responseTime == CacheExchange.start.addingTimeInterval(100))
        #expect(freshened.isShareable && freshened.bodyLength == 5)
    }

    @Test(
        "validators that are received, and a length, must be the same; otherwise the stored response is out of date",
        arguments: [
            ([], [], true), ([("ETag", "\"1\"")], [], true), ([("ETag", "\"1\"")], [("ETag", "\"1\"")], true),
            ([("ETag", "\"1\"")], [("ETag", "\"2\"")], false), ([("ETag", "\"1\"")], [("ETag", "W/\"1\"")], false),
            ([], [("ETag", "\"1\"")], false),
            ([("Last-Modified", CacheExchange.date(-9))], [("Last-Modified", CacheExchange.date(-9))], true),
            ([("Last-Modified", CacheExchange.date(-9))], [("Last-Modified", CacheExchange.date(-8))], false),
            ([], [("Last-Modified", CacheExchange.date(-9))], false), ([], [("Last-Modified", "x")], false),
            ([], [("Content-Length", "5")], true), ([], [("Content-Length", "6")], false),
            ([("ETag", "\"1\"")], [("ETag", "\"1\""), ("Content-Length", "6")], false),
        ] as [(Lines, Lines, Bool)]
    )
    func conditions(stored: Lines, head: Lines, isUpdated: Bool) {
        #expect((freshen(stored, byHead: head) != nil) == isUpdated)
    }

    @Test("a stored response with another status is out of date")
    func otherStatus() {
        #expect(freshen([], byHead: [], status: 404) == nil)
    }
}
