import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import bundlectl

@Suite("The webhook")
struct WebhookTests {
    private static let url = "https://ops.example.com/hooks/bundles?team=shop"

    private func webhook(_ network: ScriptedTransport, _ clock: any Clock<Duration>) throws -> Webhook {
        Webhook(
            url: try #require(URL(string: Self.url)),
            sender: WebhookSender(
                installation: "0123456789abcdef",
                labels: [try #require(WebhookLabel(argument: "site=a b"))]
            ),
            transport: network,
            clock: clock
        )
    }

    private var event: UpdateEvent {
        get throws {
            let date = Date(timeIntervalSince1970: 1_790_000_000)
            return UpdateEvent(number: 42, .activated, BundleName("shop"), at: date)
        }
    }

    @Test("posts the event as JSON")
    func post() async throws {
        let network = ScriptedTransport()
        let received = Mutex<[String]>([])
        network.response(calling: Self.url) { call in
            var bytes: [UInt8] = []
            for try await chunk in try #require(call.content) { bytes += chunk }
            received.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            return OriginResponse(.noContent)
        }
        try await webhook(network, TestClock()).deliver(event)
        let document =
            #"{"date":"2026-09-21T14:13:20Z","installation":"0123456789abcdef","kind":"activated","labels":{"site":"a b"},"#
            + #""name":"shop","number":42}"# + "\n"
        #expect(received.withLock(\.self) == [document])
        let request = try #require(network.requests.first)
        #expect(request.method == .post)
        #expect(request.headerFields[.contentType] == "application/json")
        #expect(request.headerFields[.contentLength] == String(document.utf8.count))
        #expect(request.headerFields[.userAgent] == "bundlectl/\(ProductVersion.string)")
    }

    @Test(
        "has an identifier that stays in all attempts, the time of each, and the operator's fields; a signature by a key alone"
    )
    func fields() async throws {
        let (network, clock) = (ScriptedTransport(), TestClock())
        network.response(Self.url, .serviceUnavailable, [:], "no")
        var webhook = try webhook(network, clock)
        webhook.now = clock.read
        webhook.fields = [.authorization: "Bearer abc"]
        webhook.key = WebhookKey("whsec_\(Data(repeating: 7, count: 32).base64EncodedString())")
        let delivery = Task { [webhook, event = try event] in try await webhook.deliver(event) }
        try await clock.waitForSleeps(2)
        clock.advance(by: .seconds(1))
        try await clock.waitForSleeps(4)
        let requests = network.requests.prefix(2).map(\.headerFields)
        func values(_ name: String) throws -> [String?] {
            let name = try #require(HTTPField.Name(name))
            return requests.map { $0[name] }
        }
        #expect(try values("Webhook-Id") == ["0123456789abcdef-42", "0123456789abcdef-42"])
        #expect(try values("Authorization") == ["Bearer abc", "Bearer abc"])
        let (times, signatures) = (try values("Webhook-Timestamp"), try values("Webhook-Signature"))
        #expect(times.compactMap { $0.flatMap(Int.init) }.count == 2)
        #expect(times[0] != times[1] && signatures[0] != signatures[1])
        #expect(signatures.allSatisfy { $0?.hasPrefix("v1,") == true })
        delivery.cancel()
        _ = await delivery.result
    }

    @Test("has no signature without a key")
    func unsigned() async throws {
        let network = ScriptedTransport()
        network.response(Self.url, .ok, [:], "")
        try await webhook(network, TestClock()).deliver(event)
        let fields = try #require(network.requests.first).headerFields
        #expect(fields[try #require(HTTPField.Name("webhook-signature"))] == nil)
        #expect(fields[try #require(HTTPField.Name("webhook-id"))] != nil)
    }

    @Test("makes its last attempt before a command stops waiting for it")
    func lastAttempt() {
        let pauses = Webhook.pauses.reduce(.zero, +)
        #expect(pauses + Webhook.defaultTimeLimit * (Webhook.pauses.count + 1) < HookOptions.finalWait)
    }

    @Test(
        "waits for as long as the receiver asks for, within limits",
        arguments: [("0", 1), ("7", 7), ("3600", 30), ("Thu, 01 Jan 2026 00:00:20 GMT", 20), ("soon", 1)]
    )
    func retryAfter(_ value: String, _ seconds: Int) async throws {
        let (network, clock) = (ScriptedTransport(), TestClock())
        let count = Mutex(0)
        network.response(Self.url) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number > 1 ? OriginResponse(.ok) : OriginResponse(.serviceUnavailable, [.retryAfter: value])
        }
        var webhook = try webhook(network, clock)
        webhook.now = clock.read
        let delivery = Task { [webhook, event = try event] in try await webhook.deliver(event) }
        // The limit of the first attempt, and the pause.
        try await clock.waitForSleeps(2)
        clock.advance(by: .milliseconds(seconds * 1_000 - 1))
        #expect(network.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        try await delivery.value
        #expect(network.requests.count == 2)
    }

    @Test("is tried four times at what may pass", arguments: [408, 429, 500, 503])
    func retries(_ status: Int) async throws {
        let network = ScriptedTransport()
        network.response(Self.url, HTTPResponse.Status(code: status), [:], "no")
        let error = await #expect(throws: BundleError.self) {
            // The timeout mustn't come first on a clock that never waits.
            try await webhook(network, PauseClock()).deliver(event)
        }
        #expect(error?.code == .networkUnavailable)
        #expect(network.requests.count == 4)
    }

    @Test("ends the attempts with the first that succeeds")
    func recovery() async throws {
        let network = ScriptedTransport()
        let count = Mutex(0)
        network.response(Self.url) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number > 1 else { throw BundleError(.networkUnavailable, "no route") }
            return OriginResponse(.ok)
        }
        try await webhook(network, PauseClock()).deliver(event)
        #expect(network.requests.count == 2)
    }

    @Test("isn't tried again at what won't pass", arguments: [301, 400, 404, 410])
    func refusal(_ status: Int) async throws {
        let network = ScriptedTransport()
        network.response(Self.url, HTTPResponse.Status(code: status), [:], "no")
        await #expect(throws: BundleError.self) { try await webhook(network, PauseClock()).deliver(event) }
        #expect(network.requests.count == 1)
    }

    @Test("gives up a receiver that hangs")
    func hanging() async throws {
        let (network, clock) = (ScriptedTransport(), TestClock())
        network.response(Self.url) { _ in
            try await ContinuousClock().sleep(for: .seconds(3_600))
            return OriginResponse(.ok)
        }
        let webhook = try webhook(network, clock)
        let delivery = Task { [event = try event] in try await webhook.deliver(event) }
        var count = 1
        for pause in [Duration.zero] + Webhook.pauses {
            if pause > .zero {
                try await clock.waitForSleeps(count)
                clock.advance(by: pause)
                count += 1
            }
            try await clock.waitForSleeps(count)
            clock.advance(by: Webhook.defaultTimeLimit)
            count += 1
        }
        let error = await #expect(throws: BundleError.self) { try await delivery.value }
        #expect(error?.message.contains("didn't respond within") == true)
        #expect(network.requests.count == 4)
    }
}

/// A clock on which short pauses take no time, and the time limit never comes.
private struct PauseClock: Clock {
    typealias Duration = Swift.Duration
    typealias Instant = ContinuousClock.Instant

    var now: Instant { ContinuousClock().now }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let wait = now.duration(to: deadline)
        let isLimit = wait > .seconds(9) && wait < .seconds(11)
        if isLimit { try await ContinuousClock().sleep(for: .seconds(3_600)) }
    }
}
