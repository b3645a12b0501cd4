import BundleNetwork
import Foundation
import HTTPTypes
import Testing

/// Field values come from outside: any of them yields a response whose numbers are in range.
@Suite("Hostile fields")
struct HostileFieldTests {
    private static let names = [
        "Cache-Control", "Vary", "Age", "Date", "Expires", "Last-Modified", "ETag", "Connection", "Set-Cookie",
        "CDN-Cache-Control", "Accept-Language", "Accept", "Content-Language",
    ]
    private static let pieces = [
        "max-age", "s-maxage", "no-cache", "private", "=", "\"", "\\", ",", ";", " ", "\t", "*", "-1", "0", "60",
        "99999999999999999999999", "W/", "q=", "de", "a/b", "?1", "(", ":", "Accept-Language", "immutable",
        "Tue, 14 Nov 2023 22:13:20 GMT", "Vary", "\u{e9}", "e\u{301}", "\u{1F600}",
        "\0",
        "stale-if-error", "stale-while-revalidate", "max-stale", "min-fresh", "Cache-Control",
    ]

    @Test("every combination of fields yields a response", arguments: 0..<500 as Range<UInt64>)
    func combinations(seed: UInt64) {
        var generator = LinearCongruentialGenerator(state: seed)
        var exchange = CacheExchange(lines(&generator), request: lines(&generator))
        exchange.responseTime = CacheExchange.start.addingTimeInterval(.random(in: -1e9...1e9, using: &generator))
        let now = CacheExchange.start.addingTimeInterval(.random(in: -1e9...1e9, using: &generator))
        let targets: [HTTPField.Name] = Bool.random(using: &generator) ? [HTTPField.Name("CDN-Cache-Control")!] : []
        let policy = CachePolicy(isShared: .random(using: &generator), targetedFields: targets)
        let stored = exchange.stored(by: policy)
        let freshness = policy.freshness(of: stored, now: now)
        #expect(freshness.age >= 0 && freshness.lifetime >= 0 && freshness.staleness >= 0)
        #expect(Int(stored.ageField(now: now).value).map { (0...2_147_483_648).contains($0) } == true)
        if case .serve(let timeToLive) = policy.decision(for: exchange.request, stored: stored, now: now) {
            #expect(
                timeToLive > 0 || CacheControl(exchange.request.headerFields).maxStale != nil
                    || policy.directives(of: stored.fields).staleWhileRevalidate != nil
            )
        }
        if policy.isStorable(request: exchange.request, response: exchange.response) {
            #expect(policy.mayUse(stored) && stored.matches(exchange.request))
        }
        #expect(stored.preconditions.count <= 2 && [stored].preconditions.count <= 1)
        #expect(stored.selections.count <= 2)
    }

    private func lines(_ generator: inout LinearCongruentialGenerator) -> [(String, String)] {
        (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            let name = HostileFieldTests.names.randomElement(using: &generator) ?? "Age"
            let count = Int.random(in: 0...9, using: &generator)
            let value = (0..<count).compactMap { _ in HostileFieldTests.pieces.randomElement(using: &generator) }
            return (name, value.joined())
        }
    }
}

/// The same numbers in every run (Knuth's MMIX constants).
private struct LinearCongruentialGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}
