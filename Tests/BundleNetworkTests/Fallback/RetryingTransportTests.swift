import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Synchronization
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Requests without a response")
struct RetryingTransportTests {
    private static let url = "https://m.example.com/x"

    private func transport(
        _ network: ScriptedTransport,
        _ clock: TestClock,
        _ policy: RetryPolicy = RetryPolicy(),
        _ breaker: OriginBreaker? = nil
    ) -> RetryingTransport {
        RetryingTransport(
            transport: network,
            policy: policy,
            breaker: breaker ?? OriginBreaker(clock: clock, now: clock.read),
            clock: clock,
            random: { 0.5 }
        )
    }

    private func call(_ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], content: String? = nil)
        -> OriginCall
    {
        var call = OriginCall(
            HTTPRequest(method: method, scheme: "https", authority: "m.example.com", path: "/x", headerFields: fields)
        )
        call.content = content.map { BodyStream(Array($0.utf8)) }
        return call
    }

    /// Fails so many times before it responds.
    private func network(
        failing count: Int,
        _ error: any Error = BundleError(.networkUnavailable, "connection reset")
    ) -> ScriptedTransport {
        let network = ScriptedTransport()
        network.response(Self.url) { [unowned network] _ in
            if network.requests.count <= count { throw error }
            return OriginResponse(.ok, [:], "x")
        }
        return network
    }

    @Test("are sent again twice, after half of 0.2 and of 0.4 seconds when the random number is a half")
    func repeated() async throws {
        let (network, clock) = (network(failing: 2), TestClock())
        let response = Task { try await transport(network, clock).send(call()) }
        try await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(99))
        #expect(network.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        try await clock.waitForSleeps(2)
        #expect(network.requests.count == 2)
        clock.advance(by: .milliseconds(200))
        #expect(try await response.value.head.status == .ok)
        #expect(network.requests.count == 3)
    }

    @Test("fail with the last error after that")
    func givenUp() async throws {
        let (network, clock) = (network(failing: 9), TestClock(step: .nanoseconds(1)))
        let breaker = OriginBreaker(clock: clock, now: clock.read)
        await #expect(throws: BundleError.self) {
            try await transport(network, clock, RetryPolicy(), breaker).send(call())
        }
        #expect(network.requests.count == 3)
        #expect(breaker.isOut("https://m.example.com"))
        #expect(breaker.states.map(\.failureCount) == [1])
    }

    @Test("aren't those that get a response that isn't HTTP: these are sent once")
    func malformed() async throws {
        let error = BundleError(.networkUnavailable, "no HTTP", cause: MalformedResponse.syntax)
        let (network, clock) = (network(failing: 9, error), TestClock())
        let breaker = OriginBreaker(clock: clock, now: clock.read)
        await #expect(throws: BundleError.self) {
            try await transport(network, clock, RetryPolicy(), breaker).send(call())
        }
        #expect(network.requests.count == 1)
        #expect(!breaker.isOut("https://m.example.com"))
    }

    @Test(
        "aren't those to a server whose certificate is refused: these are sent once",
        arguments: [
            OriginFailure.expiredCertificate, .notYetValidCertificate, .certificateOfOtherName, .certificateOfOtherKey,
            .certificateOfUnknownIssuer,
        ]
    )
    func refusedCertificate(_ failure: OriginFailure) async throws {
        let error = BundleError(.networkUnavailable, "not trusted", cause: Cause(originFailure: failure))
        let network = network(failing: 9, error)
        let transport = transport(network, TestClock(step: .nanoseconds(1)))
        await #expect(throws: BundleError.self) { try await transport.send(call()) }
        #expect(network.requests.count == 1)
    }

    private struct Cause: OriginFailureCause {
        let originFailure: OriginFailure
    }

    @Test(
        "aren't sent again when that isn't allowed, or of no use",
        arguments: ["POST", "PATCH", "content", "upgrade", "interim", "denied", "other", "none"]
    )
    func notRepeated(_ reason: String) async throws {
        let clock = TestClock(step: .nanoseconds(1))
        let error: any Error =
            switch reason {
            case "denied": OriginDenial(.unknown).error(at: "m.example.com")
            case "other": BundleError(.invalidArgument, "wrong")
            default: BundleError(.networkUnavailable, "connection reset")
            }
        let network = ScriptedTransport()
        network.response(calling: Self.url) { call in
            if reason == "interim" { call.onInterim?(HTTPResponse(status: .init(code: 103))) }
            throw error
        }
        var call =
            switch reason {
            case "POST": self.call(.post)
            case "PATCH": self.call(.patch)
            case "content": self.call(.put, content: "x")
            case "upgrade": self.call(.get, [.connection: "Upgrade", .upgrade: "websocket"])
            default: self.call()
            }
        call.onInterim = { _ in }
        let transport = transport(network, clock, reason == "none" ? .none : RetryPolicy())
        await #expect(throws: BundleError.self) { try await transport.send(call) }
        #expect(network.requests.count == 1)
    }

    @Test("to an origin that is out aren't sent again")
    func out() async throws {
        let (network, clock) = (network(failing: 9), TestClock(step: .nanoseconds(1)))
        let breaker = OriginBreaker(clock: clock, now: clock.read)
        breaker.noteTimeout(of: "https://m.example.com")
        await #expect(throws: BundleError.self) {
            try await transport(network, clock, RetryPolicy(), breaker).send(call())
        }
        #expect(network.requests.count == 1)
    }

    @Test("of a client that has left aren't sent again")
    func left() async throws {
        let (network, clock) = (network(failing: 9), TestClock())
        let task = Task { try await transport(network, clock).send(call()) }
        try await clock.waitForSleeps(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(network.requests.count == 1)
    }

    @Test("have pauses that double, up to a longest one and a total")
    func pauses() {
        var policy = RetryPolicy()
        policy.maximumCount = 30
        let pauses = (0..<6).map { policy.pause(after: $0, elapsed: .zero, random: 1) }
        #expect(
            pauses == [
                .milliseconds(200), .milliseconds(400), .milliseconds(800), .milliseconds(1_600), .seconds(2),
                .seconds(2),
            ]
        )
        #expect(policy.pause(after: 29, elapsed: .zero, random: 1) == .seconds(2))
        #expect(policy.pause(after: 30, elapsed: .zero, random: 1) == nil)
        #expect(policy.pause(after: 0, elapsed: .milliseconds(4_900), random: 0) == .zero)
        #expect(policy.pause(after: 0, elapsed: .milliseconds(4_900), random: 1) == nil)
        #expect(policy.pause(after: 0, elapsed: .seconds(5) + .nanoseconds(1), random: 0) == nil)
        #expect(RetryPolicy.none.pause(after: 0, elapsed: .zero, random: 0) == nil)
    }
}
