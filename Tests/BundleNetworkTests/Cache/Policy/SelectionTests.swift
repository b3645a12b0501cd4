import BundleNetwork
import Foundation
import HTTPTypes
import Testing

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
        "§4.1: lines are combined and whitespace is normalised where it is known to be insignificant",
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
            Case(["Accept-Language"], [("Accept-Language", "de,en")], [("Accept-Language", "en,de")], false),
            Case(["Accept"], [("Accept", "a/b;c=\"d,e\"")], [("Accept", "a/b;c=\"d, e\"")], false),
            Case(["Foo"], [("Foo", "\u{e9}")], [("Foo", "e\u{301}")], false),
        ]
    )
    func normalization(test: Case) { check(test) }

    private func check(_ test: Case) {
        let stored = Exchange(test.vary.map { ("Vary", $0) }, request: test.original).stored()
        #expect(stored.matches(Exchange.get(test.later)) == test.isMatch)
    }

    @Test("§4.1: a Vary of * matches nothing, not even the same request", arguments: ["*", "Foo, *"])
    func varyAnything(vary: String) {
        #expect(!Exchange([("Vary", vary)]).stored().matches(Exchange.get()))
    }

    @Test(
        "§4: only GET and HEAD select a response",
        arguments: [("GET", true), ("HEAD", true), ("POST", false), ("PUT", false)]
    )
    func method(name: String, isMatch: Bool) {
        var request = Exchange.get()
        request.method = HTTPRequest.Method(name)!
        #expect(Exchange().stored().matches(request) == isMatch)
    }

    private func stored(date: TimeInterval, received: TimeInterval, language: String) -> StoredResponse {
        var exchange = Exchange([("Vary", "Accept-Language")], request: [("Accept-Language", language)])
        exchange.response.headerFields[.date] = Exchange.date(date)
        exchange.responseTime = Exchange.start.addingTimeInterval(received)
        return exchange.stored()
    }

    @Test("§4.1: of several that match the most recent by Date is used, then by arrival")
    func mostRecent() {
        let older = stored(date: 10, received: 50, language: "de")
        let newer = stored(date: 20, received: 30, language: "de")
        let newest = stored(date: 20, received: 40, language: "de")
        let foreign = stored(date: 90, received: 90, language: "en")
        let request = Exchange.get([("Accept-Language", "de")])
        #expect([older, newest, foreign, newer].mostRecent(matching: request) == newest)
        #expect([newer, older].mostRecent(matching: request) == newer)
        #expect([foreign].mostRecent(matching: request) == nil)
        #expect([StoredResponse]().mostRecent(matching: request) == nil)
    }
}
