import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Stored responses")
struct StoredResponseTests {
    @Test(
        "§3.1, RFC 9110 §7.6.1: the connection's and the proxy's fields aren't stored",
        arguments: [
            "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
            "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "X-Listed", "X-Also-Listed",
        ]
    )
    func connectionFields(name: String) {
        let exchange = CacheExchange([
            ("Connection", "close, X-Listed"), ("Connection", "x-also-listed"), (name, "value"), ("ETag", "\"1\""),
        ])
        #expect(exchange.stored().fields[HTTPField.Name(name)!] == nil)
        #expect(exchange.stored().fields[.eTag] == "\"1\"")
    }

    @Test(
        "§3.1: every other field is stored, as often as it occurred",
        arguments: [
            "Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "ETag", "Expires", "Last-Modified",
            "Location", "Set-Cookie", "Link", "Content-Security-Policy", "Strict-Transport-Security", "X-Unknown",
            "Age",
        ]
    )
    func otherFields(name: String) {
        let stored = CacheExchange([(name, "1"), (name, "2")]).stored()
        #expect(stored.fields[values: HTTPField.Name(name)!] == ["1", "2"])
    }

    @Test("RFC 9110 §7.6.1: Cache-Control is never a connection option")
    func listedCacheControl() {
        let stored = CacheExchange([("Connection", "Cache-Control"), ("Cache-Control", "no-cache")]).stored()
        #expect(stored.fields[.cacheControl] == "no-cache")
    }

    @Test("§3.1: fields listed by no-cache aren't stored, and those listed by private not by a shared cache")
    func qualifiedDirectives() {
        let exchange = CacheExchange([
            ("Cache-Control", "no-cache=\"Set-Cookie, X-A\", private=x-b, max-age=60"), ("Set-Cookie", "a=b"),
            ("X-A", "1"), ("X-B", "2"), ("X-C", "3"),
        ])
        let names = { (stored: StoredResponse) in stored.fields.map(\.name.canonicalName) }
        #expect(names(exchange.stored(shared: false)) == ["date", "cache-control", "x-b", "x-c"])
        #expect(names(exchange.stored(shared: true)) == ["date", "cache-control", "x-c"])
    }

    @Test(
        "RFC 9110 §6.6.1: a response without a valid Date gets the time of its arrival",
        arguments: [nil, "yesterday"]
    )
    func missingDate(date: String?) {
        var exchange = CacheExchange()
        exchange.response.headerFields[.date] = date
        exchange.responseTime = CacheExchange.start.addingTimeInterval(7)
        #expect(exchange.stored().fields[values: .date] == [CacheExchange.date(7)])
    }

    @Test("a valid Date is kept as it is")
    func validDate() {
        var exchange = CacheExchange()
        exchange.responseTime = CacheExchange.start.addingTimeInterval(7)
        #expect(exchange.stored().fields[values: .date] == [CacheExchange.date(0)])
    }

    @Test("§4.1: only the request's fields that Vary names are kept")
    func selectingFields() {
        let exchange = CacheExchange(
            [("Vary", "Accept-Language, X-Theme"), ("Vary", "origin")],
            request: [("accept-language", "de"), ("X-Theme", "dark"), ("X-Theme", "blue"), ("Cookie", "s=1")]
        )
        let selecting = exchange.stored().selectingFields
        #expect(
            selecting == CacheExchange.fields([("Accept-Language", "de"), ("X-Theme", "dark"), ("X-Theme", "blue")])
        )
    }

    @Test("the head has status and fields")
    func head() {
        let stored = CacheExchange(status: 404, [("ETag", "\"1\"")]).stored()
        #expect(stored.head.status.code == 404)
        #expect(stored.head.headerFields == stored.fields)
    }

    @Test("values with bytes that aren't UTF-8 are kept as they were received")
    func obsText() throws {
        var exchange = CacheExchange([("Vary", "Foo")])
        let latin1: [UInt8] = Array("filename=\"".utf8) + [0xE9, 0x74, 0xE9] + Array(".pdf\"".utf8)
        exchange.response.headerFields.append(HTTPField(name: .contentDisposition, value: latin1))
        exchange.request.headerFields.append(HTTPField(name: HTTPField.Name("Foo")!, value: [0xFF, 0x80]))
        let decoded = try #require(StoredResponse(encoded: exchange.stored().encoded))
        #expect(decoded == exchange.stored())
        #expect(decoded.fields[fields: .contentDisposition].first?.withUnsafeBytesOfValue(Array.init) == latin1)
        #expect(decoded.selectingFields.first?.withUnsafeBytesOfValue(Array.init) == [0xFF, 0x80])
        #expect(decoded.matches(exchange.request))
    }

    @Test("§5.2.2.4, §5.2.2.7: what isn't stored because a directive lists it is for the first client")
    func passedOnOnly() {
        let exchange = CacheExchange([
            ("Cache-Control", "no-cache=\"Set-Cookie, Connection\", private=x-b, max-age=60"), ("Set-Cookie", "a=b"),
            ("Set-Cookie", "c=d"), ("X-B", "2"), ("X-C", "3"), ("Connection", "close"),
        ])
        let names = { (isShared: Bool) in
            CachePolicy(isShared: isShared).fieldsPassedOnOnly(of: exchange.response.headerFields)
                .map(\.name.canonicalName)
        }
        #expect(names(false) == ["set-cookie", "set-cookie"])
        #expect(names(true) == ["set-cookie", "set-cookie", "x-b"])
    }
}
