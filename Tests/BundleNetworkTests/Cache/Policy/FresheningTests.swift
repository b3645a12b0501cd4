import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Freshening by a 304")
struct FresheningTests {
    typealias Lines = [(String, String)]

    /// Validates a stored response 100 seconds later.
    private func freshen(
        _ stored: Lines,
        by newer: Lines,
        request: Lines = [],
        shared: Bool = false
    ) -> StoredResponse {
        let notModified = HTTPResponse(status: .notModified, headerFields: CacheExchange.fields(newer))
        return CachePolicy(isShared: shared).freshened(
            CacheExchange(stored, request: request).stored(shared: shared),
            by: notModified,
            to: CacheExchange.get(request),
            requestTime: CacheExchange.start.addingTimeInterval(99),
            responseTime: CacheExchange.start.addingTimeInterval(100)
        )
    }

    @Test(
        "§3.2: the 304's fields replace the stored ones",
        arguments: [
            "Cache-Control", "Content-Location", "Content-Security-Policy", "ETag", "Expires", "Last-Modified",
            "Set-Cookie", "X-Content-Foo", "X-Unknown", "Vary",
        ]
    )
    func replaced(name: String) {
        let fields = freshen([(name, "a"), (name, "b"), ("Kept", "c")], by: [(name, "d")]).fields
        #expect(fields[values: HTTPField.Name(name)!] == ["d"])
        #expect(fields[HTTPField.Name("Kept")!] == "c")
    }

    @Test("§3.2: a field that was not stored is added")
    func added() {
        #expect(
            freshen([], by: [("X-New", "1"), ("X-New", "2")]).fields[values: HTTPField.Name("X-New")!] == ["1", "2"]
        )
    }

    @Test(
        "§3.2: the fields that describe the stored bytes stay",
        arguments: ["Content-Encoding", "Content-Length", "Content-Range", "Content-Type"]
    )
    func keptForBody(name: String) {
        #expect(freshen([(name, "a")], by: [(name, "b")]).fields[values: HTTPField.Name(name)!] == ["a"])
        #expect(freshen([], by: [(name, "b")]).fields[values: HTTPField.Name(name)!] == [])
    }

    @Test("§3.1: the 304's connection fields aren't stored", arguments: ["Connection", "Keep-Alive", "X-Listed"])
    func connectionFields(name: String) {
        let fields = freshen([], by: [("Connection", "X-Listed"), (name, "1")]).fields
        #expect(!fields.contains(HTTPField.Name(name)!))
    }

    @Test("§4.3.4: the times are those of the 304, so the response is as fresh as it")
    func times() {
        let freshened = freshen([("Cache-Control", "max-age=60"), ("Age", "50")], by: [])
        #expect(freshened.requestTime == CacheExchange.start.addingTimeInterval(99))
        #expect(freshened.responseTime == CacheExchange.start.addingTimeInterval(100))
        #expect(freshened.fields[values: .date] == [CacheExchange.date(100)])
        #expect(freshened.fields[.age] == nil)
        let now = CacheExchange.start.addingTimeInterval(110)
        #expect(CachePolicy(isShared: false).freshness(of: freshened, now: now).age == 11)
    }

    @Test("§4.3.4: the 304's Age and Date are used when it has them")
    func timesOfTheOrigin() {
        let freshened = freshen([("Age", "50")], by: [("Age", "7"), ("Date", CacheExchange.date(90))])
        #expect(freshened.fields[values: .date] == [CacheExchange.date(90)])
        #expect(freshened.fields[values: .age] == ["7"])
    }

    @Test("URL, status and body stay")
    func rest() {
        let freshened = freshen([], by: [])
        #expect(freshened.url == CacheExchange().stored().url)
        #expect(freshened.status == 200 && freshened.bodyLength == 5)
    }

    @Test("§4.1: when the 304 varies by more fields, the validating request's values are kept")
    func newVary() {
        let request = [("Accept", "a/b"), ("Foo", "1")]
        let freshened = freshen([("Vary", "Accept")], by: [("Vary", "Accept, Foo")], request: request)
        #expect(freshened.selectingFields == CacheExchange.fields(request))
        #expect(freshened.matches(CacheExchange.get(request)))
        #expect(!freshened.matches(CacheExchange.get([("Accept", "a/b"), ("Foo", "2")])))
    }

    @Test("§3.1: fields that the 304's Cache-Control excludes from storage are removed")
    func excluded() {
        let stored = [("Set-Cookie", "a=b"), ("X-A", "1")]
        let newer = [("Cache-Control", "no-cache=\"Set-Cookie\", private=X-A"), ("Set-Cookie", "c=d")]
        let names = { (shared: Bool) in freshen(stored, by: newer, shared: shared).fields.map(\.name.canonicalName) }
        #expect(names(false) == ["x-a", "cache-control", "date"])
        #expect(names(true) == ["cache-control", "date"])
    }

    @Test(
        "§3: the result must be storable like any response",
        arguments: [("max-age=60", true), ("no-store", false), ("private", false)]
    )
    func mayStay(cacheControl: String, isStorable: Bool) {
        let freshened = freshen([("Cache-Control", "max-age=1")], by: [("Cache-Control", cacheControl)], shared: true)
        let policy = CachePolicy(isShared: true)
        #expect(policy.isStorable(request: CacheExchange.get(), response: freshened.head) == isStorable)
    }

    @Test("a 304 with too many fields changes nothing")
    func tooManyFields() {
        let many = (0..<StoredResponse.maximumFieldCount).map { ("x-\($0)", "y") }
        #expect(freshen([("A", "b")], by: many) == CacheExchange([("A", "b")]).stored())
        #expect(freshen([("A", "b")], by: many + many) == CacheExchange([("A", "b")]).stored())
    }
}
