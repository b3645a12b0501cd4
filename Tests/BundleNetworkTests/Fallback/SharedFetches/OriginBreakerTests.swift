import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("The breaker of origins")
struct OriginBreakerTests {
    private let clock = TestClock()
    private let origin = "https://m.example.com"

    private func breaker() -> OriginBreaker { OriginBreaker(clock: clock, now: clock.read) }

    @Test("is closed, open after a request without a response, half-open while asking again, and closed by a response")
    func states() {
        let breaker = breaker()
        #expect(breaker.states.isEmpty)
        breaker.note(.success(HTTPResponse(status: .ok)), of: origin)
        #expect(breaker.states.map(\.circuit) == [.closed])
        breaker.note(.failure(BundleError(.networkUnavailable, "no route to it")), of: origin)
        #expect(breaker.isOut(origin))
        var state = breaker.states.first
        #expect(state?.circuit == .open)
        #expect(state?.nextTry == clock.date.addingTimeInterval(1))
        #expect(state?.failure == "no route to it")
        #expect(state?.failedAt == clock.date)
        let since = clock.date
        #expect(state?.outSince == since)
        #expect(!breaker.takesProbe(origin))
        clock.advance(by: .seconds(1))
        #expect(breaker.takesProbe(origin))
        #expect(!breaker.takesProbe(origin))
        #expect(breaker.states.map(\.circuit) == [.halfOpen])
        breaker.note(.failure(BundleError(.networkUnavailable, "no route to it")), of: origin)
        #expect(breaker.states.map(\.circuit) == [.open])
        // It has been out since the first of the failures.
        #expect(breaker.states.first?.outSince == since && breaker.states.first?.failedAt == clock.date)
        breaker.note(.success(HTTPResponse(status: .notFound)), of: origin)
        #expect(!breaker.isOut(origin))
        state = breaker.states.first
        #expect(state?.circuit == .closed)
        #expect(state?.nextTry == nil && state?.outSince == nil)
        #expect(state?.recent == [200, 0, 0, 404])
        #expect(state?.responseCount == 2)
        #expect(state?.failureCount == 2)
        #expect(state?.respondedAt == clock.date)
    }

    @Test("stays closed for an origin whose response to one URL isn't HTTP, which isn't out")
    func malformed() {
        let breaker = breaker()
        let error = BundleError(.networkUnavailable, "no HTTP", cause: MalformedResponse.transferCoding)
        breaker.note(.failure(error), of: origin)
        #expect(!breaker.isOut(origin))
        #expect(breaker.states.map(\.circuit) == [.closed])
        #expect(breaker.states.map(\.failureCount) == [1])
        // Nor does it end an outage.
        breaker.noteTimeout(of: origin)
        #expect(breaker.states.first?.outSince == clock.date)
        breaker.note(.failure(error), of: origin)
        #expect(breaker.isOut(origin))
    }

    @Test("knows at most 256 origins and ten outcomes of each: those that were used last")
    func bounds() {
        let breaker = breaker()
        for number in 0..<300 {
            clock.advance(by: .seconds(1))
            breaker.note(.success(HTTPResponse(status: .ok)), of: "https://\(number).example")
        }
        let states = breaker.states
        #expect(states.count == OriginBreaker.maximumCount)
        #expect(!states.contains { $0.origin == "https://43.example" })
        for status in 400..<420 {
            breaker.note(.success(HTTPResponse(status: .init(code: status))), of: "https://299.example")
        }
        #expect(breaker.states.first { $0.origin == "https://299.example" }?.recent == Array(410..<420))
    }
}
