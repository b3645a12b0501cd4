import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Cache decisions")
struct DecisionTests {
    /// A response with `response` as Cache-Control, requested at an age of `age` with `request` as Cache-Control.
    struct Case: Sendable, CustomTestStringConvertible {
        var response: String
        var age: TimeInterval
        var request: String?
        var decision: CacheDecision
        var shared: CacheDecision?

        init(
            _ response: String,
            age: TimeInterval,
            request: String? = nil,
            _ decision: CacheDecision,
            shared: CacheDecision? = nil
        ) {
            (self.response, self.age, self.request) = (response, age, request)
            (self.decision, self.shared) = (decision, shared)
        }

        var testDescription: String { "\(response) at \(age) s, asked with \(request ?? "nothing")" }
    }

    private func check(_ test: Case) {
        let stored = CacheExchange(cacheControl: test.response).stored()
        let request = CacheExchange.get(test.request.map { [("Cache-Control", $0)] } ?? [])
        let now = CacheExchange.start.addingTimeInterval(test.age)
        let decide = { CachePolicy(isShared: $0).decision(for: request, stored: stored, now: now) }
        #expect(decide(false) == test.decision)
        #expect(decide(true) == test.shared ?? test.decision)
    }

    @Test(
        "§4.2, §4.2.4: a fresh response is served, a stale one validated, and used when disconnected unless forbidden",
        arguments: [
            Case("max-age=60", age: 0, .serve(timeToLive: 60)),
            Case("max-age=60", age: 59, .serve(timeToLive: 1)),
            Case("max-age=60", age: 60, .revalidate(fallback: .whenDisconnected)),
            Case("max-age=0", age: 0, .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60, immutable", age: 61, .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60, must-revalidate", age: 59, .serve(timeToLive: 1)),
            Case("max-age=60, must-revalidate", age: 61, .revalidate(fallback: .never)),
            Case(
                "max-age=60, proxy-revalidate",
                age: 61,
                .revalidate(fallback: .whenDisconnected),
                shared: .revalidate(fallback: .never)
            ),
            Case(
                "max-age=60, s-maxage=60",
                age: 61,
                .revalidate(fallback: .whenDisconnected),
                shared: .revalidate(fallback: .never)
            ),
            Case(
                "max-age=60, s-maxage=90",
                age: 61,
                .revalidate(fallback: .whenDisconnected),
                shared: .serve(timeToLive: 29)
            ),
        ]
    )
    func freshness(test: Case) { check(test) }

    @Test(
        "§5.2.2.4: no-cache requires validation, but not in its qualified form",
        arguments: [
            Case("no-cache, max-age=60", age: 0, .revalidate(fallback: .never)),
            Case("No-CaChE, max-age=60, stale-if-error=600", age: 61, .revalidate(fallback: .never)),
            Case("no-cache, max-age=60", age: 1, request: "max-stale", .revalidate(fallback: .never)),
            Case("no-cache=\"Set-Cookie\", max-age=60", age: 0, .serve(timeToLive: 60)),
        ]
    )
    func noCache(test: Case) { check(test) }

    @Test(
        "§5.2.1: a request may require validation of a fresh response, which is still used when that fails",
        arguments: [
            Case("max-age=60", age: 1, request: "no-cache", .revalidate(fallback: .onServerError)),
            Case("max-age=60", age: 1, request: "no-cache=\"x\"", .revalidate(fallback: .onServerError)),
            Case("max-age=60", age: 0, request: "max-age=0", .revalidate(fallback: .onServerError)),
            Case("max-age=60", age: 0, request: "max-age=x", .revalidate(fallback: .onServerError)),
            Case("max-age=60", age: 10, request: "max-age=10", .serve(timeToLive: 50)),
            Case("max-age=60", age: 11, request: "max-age=10", .revalidate(fallback: .onServerError)),
            Case("max-age=60", age: 20, request: "min-fresh=40", .serve(timeToLive: 40)),
            Case("max-age=60", age: 21, request: "min-fresh=40", .revalidate(fallback: .onServerError)),
            Case("max-age=60", age: 21, request: "min-fresh=x", .serve(timeToLive: 39)),
            Case("max-age=60, must-revalidate", age: 1, request: "no-cache", .revalidate(fallback: .onServerError)),
            Case("max-age=60, must-revalidate", age: 61, request: "no-cache", .revalidate(fallback: .never)),
            Case("max-age=60", age: 61, request: "no-cache", .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60", age: 1, request: "no-store, unknown=1", .serve(timeToLive: 59)),
        ]
    )
    func requestValidation(test: Case) { check(test) }

    @Test(
        "§5.2.1.2: max-stale accepts a stale response, unless the response forbids it",
        arguments: [
            Case("max-age=60", age: 1_000_060, request: "max-stale", .serve(timeToLive: -1_000_000)),
            Case("max-age=60", age: 70, request: "max-stale=10", .serve(timeToLive: -10)),
            Case("max-age=60", age: 71, request: "max-stale=10", .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60", age: 70, request: "max-stale=x", .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60", age: 70, request: "max-stale=10, max-age=70", .serve(timeToLive: -10)),
            Case("max-age=60", age: 70, request: "max-stale=10, max-age=69", .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60", age: 70, request: "max-stale=10, min-fresh=1", .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60", age: 70, request: "max-stale, no-cache", .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60, must-revalidate", age: 61, request: "max-stale", .revalidate(fallback: .never)),
            Case(
                "max-age=60, proxy-revalidate",
                age: 61,
                request: "max-stale",
                .serve(timeToLive: -1),
                shared: .revalidate(fallback: .never)
            ),
        ]
    )
    func maxStale(test: Case) { check(test) }

    @Test(
        "RFC 5861 §3: within stale-while-revalidate a response is served before its validation",
        arguments: [
            Case("max-age=60, stale-while-revalidate=30", age: 59, .serve(timeToLive: 1)),
            Case("max-age=60, stale-while-revalidate=30", age: 89, .serveWhileRevalidating(timeToLive: -29)),
            Case("max-age=60, stale-while-revalidate=30", age: 90, .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60, stale-while-revalidate=x", age: 60, .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60, stale-while-revalidate=30, must-revalidate", age: 61, .revalidate(fallback: .never)),
            Case(
                "max-age=60, stale-while-revalidate=30",
                age: 61,
                request: "no-cache",
                .revalidate(fallback: .whenDisconnected)
            ),
            Case(
                "max-age=60, stale-while-revalidate=30",
                age: 61,
                request: "max-age=60",
                .revalidate(fallback: .whenDisconnected)
            ),
        ]
    )
    func staleWhileRevalidate(test: Case) { check(test) }

    @Test(
        "RFC 5861 §4: within stale-if-error a stored response replaces a server error",
        arguments: [
            Case("max-age=60, stale-if-error=30", age: 89, .revalidate(fallback: .onServerError)),
            Case("max-age=60, stale-if-error=30", age: 90, .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60", age: 89, request: "stale-if-error=30", .revalidate(fallback: .onServerError)),
            Case("max-age=60, stale-if-error=x", age: 60, .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60, stale-if-error=30, must-revalidate", age: 61, .revalidate(fallback: .never)),
        ]
    )
    func staleIfError(test: Case) { check(test) }

    @Test(
        "§5.2.1.7: only-if-cached is served from the cache or refused",
        arguments: [
            Case("max-age=60", age: 1, request: "only-if-cached", .serve(timeToLive: 59)),
            Case("max-age=60", age: 61, request: "only-if-cached", .refuse),
            Case("max-age=60", age: 61, request: "only-if-cached, max-stale", .serve(timeToLive: -1)),
            Case("max-age=60", age: 1, request: "only-if-cached, no-cache", .refuse),
            Case("max-age=60, stale-while-revalidate=9", age: 61, request: "only-if-cached", .serve(timeToLive: -1)),
        ]
    )
    func onlyIfCached(test: Case) { check(test) }

    @Test("§4, §5.2.1.7: if nothing is stored, the origin is asked, unless the request is only-if-cached")
    func nothingStored() {
        let policy = CachePolicy(isShared: false)
        let onlyIfCached = CacheExchange.get([("Cache-Control", "only-if-cached")])
        #expect(policy.decision(for: CacheExchange.get(), stored: nil, now: CacheExchange.start) == .fetch)
        #expect(policy.decision(for: onlyIfCached, stored: nil, now: CacheExchange.start) == .refuse)
    }

    @Test(
        "RFC 8246 §2.1: a fresh immutable response is validated only when the request says no-cache",
        arguments: [
            Case("max-age=60, immutable", age: 1, request: "max-age=0", .serve(timeToLive: 59)),
            Case("max-age=60, immutable=x", age: 50, request: "max-age=10", .serve(timeToLive: 10)),
            Case("max-age=60, Immutable", age: 1, request: "no-cache", .revalidate(fallback: .onServerError)),
            Case("max-age=60, immutable", age: 1, request: "min-fresh=60", .revalidate(fallback: .onServerError)),
            Case("max-age=60, immutable", age: 60, request: "max-age=0", .revalidate(fallback: .whenDisconnected)),
            Case("max-age=60, immutable, no-cache", age: 1, request: "max-age=0", .revalidate(fallback: .never)),
            Case("max-age=60", age: 1, request: "max-age=0, immutable", .revalidate(fallback: .onServerError)),
        ]
    )
    func immutable(test: Case) { check(test) }

    @Test("RFC 8246 §3: over http, where anybody could have made it, immutable doesn't count")
    func immutableUnauthenticated() throws {
        var exchange = CacheExchange(cacheControl: "max-age=60, immutable")
        exchange.url = try #require(URL(string: "http://m.example.com/a"))
        let request = CacheExchange.get([("Cache-Control", "max-age=0")])
        let decision = CachePolicy(isShared: false).decision(
            for: request,
            stored: exchange.stored(),
            now: CacheExchange.start
        )
        #expect(decision == .revalidate(fallback: .onServerError))
    }

    @Test("§5.4: Pragma is deprecated and doesn't count")
    func pragma() {
        let stored = CacheExchange([("Cache-Control", "max-age=60"), ("Pragma", "no-cache")]).stored()
        let request = CacheExchange.get([("Pragma", "no-cache")])
        let decision = CachePolicy(isShared: true).decision(for: request, stored: stored, now: CacheExchange.start)
        #expect(decision == .serve(timeToLive: 60))
    }
}
