import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("Selecting stored responses")
struct SelectionTests {
    typealias Lines = [(String, String)]

    struct Case: Sendable {
        var vary: [String]
        var original: Lines
        var later: Lines
        var isMatch: Bool

        init(_ vary: [String], _ original: Lines, _ later: Lines, _ isMatch: Bool) {
            (self.vary, self.original, self.later, self.isMatch) = (vary, original, later, isMatch)
        }
    }

    @Test(
        "§4.1: the fields that Vary names must have the same values",
        arguments: [
            Case([], [("Foo", "1")], [("Foo", "2")], true),
            Case(["Foo"], [("Foo", "1")], [("Foo", "1")], true),
            Case(["Foo"], [("Foo", "1")], [("Foo", "2")], false),
            Case(["fOO"], [("Foo", "1")], [("foo", "1"), ("Bar", "2")], true),
            Case(["Foo"], [("Foo", "1")], [], false),
            Case(["Foo"], [], [("Foo", "1")], false),
            Case(["Foo"], [], [("Foo", "")], false),
            Case(["Foo"], [], [], true),
            Case(["Foo"], [("Foo", "a")], [("Foo", "A")], false),
            Case(["Foo, Bar"], [("Foo", "1"), ("Bar", "2")], [("Bar", "2"), ("Foo", "1")], true),
            Case(["Foo, Bar"], [("Foo", "1"), ("Bar", "2")], [("Foo", "1"), ("Bar", "3")], false),
            Case(["Foo", "Bar"], [("Foo", "1"), ("Bar", "2")], [("Foo", "1"), ("Bar", "3")], false),
            Case(["Foo,,Bar,"], [("Foo", "1")], [("Foo", "1")], true),
            Case(["Foo"], [("Foo", "a\u{FFFD}")], [("Foo", "a\u{FFFD}")], false),
        ]
    )
    func vary(test: Case) { check(test) }

    @Test(
        "§4.1: lines are combined, and what is known to say nothing is normalised: order, case, weights and white space",
        arguments: [
            Case(["Foo"], [("Foo", "1, 2")], [("Foo", "1"), ("Foo", "2")], true),
            Case(["Foo"], [("Foo", "1"), ("Foo", "2")], [("Foo", "2"), ("Foo", "1")], false),
            Case(["Foo"], [("Foo", "1")], [("Foo", "1"), ("Foo", "1")], false),
            Case(["Foo"], [("Foo", " 1\t")], [("Foo", "1")], true),
            Case(["Foo"], [("Foo", "1,2")], [("Foo", "1, 2")], false),
            Case(["Accept"], [("Accept", "a/b,c/d")], [("Accept", "a/b ,\tc/d")], true),
            Case(
                ["Accept-Language"],
                [("Accept-Language", "de,en;q=0.5")],
                [("Accept-Language", "de, en;q=0.5")],
                true
            ),
            Case(["Accept-Language"], [("Accept-Language", "de,en")], [("Accept-Language", "en,de")], true),
            Case(["Accept-Language"], [("Accept-Language", "de,en")], [("Accept-Language", "eN, De;q=1.000")], true),
            Case(["Accept-Language"], [("Accept-Language", "de;q=0.5")], [("Accept-Language", "de;Q=0.50")], true),
            Case(["Accept-Language"], [("Accept-Language", "de;q=0.5")], [("Accept-Language", "de;q=0.6")], false),
            Case(["Accept-Language"], [("Accept-Language", "de")], [("Accept-Language", "de, de;q=0.5")], false),
            Case(["Accept-Language"], [("Accept-Language", "de,en")], [("Accept-Language", "de")], false),
            Case(["Accept-Language"], [], [("Accept-Language", "")], false),
            Case(["Accept-Language"], [("Accept-Language", "de;x,en")], [("Accept-Language", "en,de;x")], false),
            Case(["Accept-Language"], [("Accept-Language", "de;q=2")], [("Accept-Language", "de;q=2")], true),
            Case(["Accept"], [("Accept", "a/b, C/d;q=0.5")], [("Accept", "c/D; q=0.5"), ("Accept", "a/b")], true),
            Case(["Accept"], [("Accept", "a/b;c=d")], [("Accept", "a/b;C=\"d\"")], true),
            Case(["Accept"], [("Accept", "a/b;c=d")], [("Accept", "a/b;c=D")], false),
            Case(["Accept"], [("Accept", "a/b;c=d")], [("Accept", "a/b;c=d;e=f")], false),
            Case(["Accept-Encoding"], [("Accept-Encoding", "gzip, br")], [("Accept-Encoding", "BR,gzip")], true),
            Case(["Accept"], [("Accept", "a/b;c=\"d,e\"")], [("Accept", "a/b;c=\"d, e\"")], false),
            Case(["Foo"], [("Foo", "\u{e9}")], [("Foo", "e\u{301}")], false),
        ]
    )
    func normalization(test: Case) { check(test) }

    private func check(_ test: Case) {
        let stored = CacheExchange(test.vary.map { ("Vary", $0) }, request: test.original).stored()
        #expect(stored.matches(CacheExchange.get(test.later)) == test.isMatch)
    }

    @Test("§4.1: a Vary of * matches nothing, not even the same request", arguments: ["*", "Foo, *"])
    func varyAnything(vary: String) {
        #expect(!CacheExchange([("Vary", vary)]).stored().matches(CacheExchange.get()))
    }

    @Test(
        "§4: only GET and HEAD select a response",
        arguments: [("GET", true), ("HEAD", true), ("POST", false), ("PUT", false)]
    )
    func method(name: String, isMatch: Bool) {
        var request = CacheExchange.get()
        request.method = HTTPRequest.Method(name)!
        #expect(CacheExchange().stored().matches(request) == isMatch)
    }

    private func stored(date: TimeInterval, received: TimeInterval, language: String) -> StoredResponse {
        var exchange = CacheExchange([("Vary", "Accept-Language")], request: [("Accept-Language", language)])
        exchange.response.headerFields[.date] = CacheExchange.date(date)
        exchange.responseTime = CacheExchange.start.addingTimeInterval(received)
        return exchange.stored()
    }

    @Test("§4.1: of several that match the most recent by Date is used, then by arrival")
    func mostRecent() {
        let older = stored(date: 10, received: 50, language: "de")
        let newer = stored(date: 20, received: 30, language: "de")
        let newest = stored(date: 20, received: 40, language: "de")
        let foreign = stored(date: 90, received: 90, language: "en")
        let request = CacheExchange.get([("Accept-Language", "de")])
        func mostRecent(of responses: [StoredResponse]) -> StoredResponse? {
            responses.filter { $0.matches(request) }.max { $0.isOlder(than: $1) }
        }
        #expect(mostRecent(of: [older, newest, foreign, newer]) == newest)
        #expect(mostRecent(of: [newer, older]) == newer)
        #expect(mostRecent(of: [foreign]) == nil)
    }

    @Test(
        "a shared cache uses nothing that only a private one may have stored",
        arguments: [
            ("max-age=60", [], [], true), ("private, max-age=60", [], [], false),
            ("private=\"X\", max-age=60", [], [], false), ("max-age=60", [], [("Authorization", "x")], false),
            ("public, max-age=60", [], [("Authorization", "x")], true), ("max-age=60", [], [("Cookie", "a")], false),
            ("max-age=60", [("Set-Cookie", "a=b")], [], false), ("s-maxage=60", [("Set-Cookie", "a=b")], [], true),
            ("private, max-age=60, no-cache=\"Set-Cookie\"", [("Set-Cookie", "a=b")], [], false),
        ] as [(String, Lines, Lines, Bool)]
    )
    func shareable(cacheControl: String, response: Lines, request: Lines, isShareable: Bool) {
        let exchange = CacheExchange([("Cache-Control", cacheControl), ("ETag", "\"1\"")] + response, request: request)
        let stored = exchange.stored(shared: false)
        #expect(stored.isShareable == isShareable)
        #expect(CachePolicy(isShared: true).mayUse(stored) == isShareable)
        #expect(CachePolicy(isShared: false).mayUse(stored))
        #expect(exchange.stored(shared: true).isShareable)
    }

    @Test("what a private cache has stored without a mark isn't shared, even when a later 304 would allow it")
    func stillPrivate() {
        let stored = CacheExchange([("Cache-Control", "private")]).stored()
        let notModified = CacheExchange(status: 304, [("Cache-Control", "max-age=60")])
        let freshened = CachePolicy(isShared: false).freshened(
            stored,
            by: notModified.response,
            to: notModified.request,
            requestTime: CacheExchange.start,
            responseTime: CacheExchange.start
        )
        #expect(!freshened.isShareable)
        #expect(freshened.fields[.cacheControl] == "max-age=60")
    }

    @Test("§4.1: values with bytes that aren't UTF-8 are compared byte by byte")
    func obsText() {
        func request(_ bytes: [UInt8]) -> HTTPRequest {
            var request = CacheExchange.get()
            request.headerFields.append(HTTPField(name: HTTPField.Name("Foo")!, value: bytes))
            return request
        }
        var exchange = CacheExchange([("Vary", "Foo")])
        exchange.request = request([0x61, 0xE9])
        let stored = exchange.stored()
        #expect(stored.matches(request([0x61, 0xE9])))
        #expect(!stored.matches(request([0x61, 0xE8])))
        #expect(!stored.matches(request([0x61, 0xC3, 0xA9])))
    }

    @Test(
        "RFC 9110 §8.5: a request that prefers the response's language to all others selects it",
        arguments: [
            ("en, de", "de", "fr;q=0.5, de;q=1.0", true), ("en, de", "DE", "De", true),
            ("en, de", "de", "de, *;q=0.1", true), ("en, de", "de", "de, fr", false), ("en, de", "de", "de-AT", false),
            ("en, de", "de, en", "de", false), ("en, de", "", "de", false), ("en, de", "de", "*", false),
            ("en, de", "de", "de;q=0", false), ("en, de", "de", "fr, de;q=0.9", false),
        ]
    )
    func language(original: String, content: String, later: String, isMatch: Bool) {
        let stored = CacheExchange(
            [("Vary", "Accept-Language"), ("Content-Language", content)],
            request: [("Accept-Language", original)]
        ).stored()
        #expect(stored.matches(CacheExchange.get([("Accept-Language", later)])) == isMatch)
        #expect(stored.selections.count == (content == "de, en" || content.isEmpty ? 1 : 2))
    }

    @Test("a response's language selects nothing when it varies by something else, too, that differs")
    func languageAndMore() {
        let stored = CacheExchange(
            [("Vary", "Accept-Language, Foo"), ("Content-Language", "de")],
            request: [("Accept-Language", "en, de"), ("Foo", "1")]
        ).stored()
        #expect(stored.matches(CacheExchange.get([("Accept-Language", "de"), ("Foo", "1")])))
        #expect(!stored.matches(CacheExchange.get([("Accept-Language", "de"), ("Foo", "2")])))
        let plain = CacheExchange([("Vary", "Foo"), ("Content-Language", "de")], request: [("Foo", "1")]).stored()
        #expect(!plain.matches(CacheExchange.get([("Accept-Language", "de"), ("Foo", "2")])))
    }
}
