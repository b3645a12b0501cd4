import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import ServiceLifecycle
import Synchronization
import Testing

@testable import BundleServer

@Suite("Pushing metrics", .timeLimit(.minutes(5)))
struct TelemetryExporterTests {
    private static let otlp = "http://127.0.0.1:4318/v1/metrics"

    private func exporter(
        _ network: ScriptedTransport,
        _ target: String = "otlp+" + Self.otlp,
        clock: TestClock = TestClock()
    ) throws -> TelemetryExporter {
        TelemetryExporter(
            to: try #require(TelemetryTarget(target)),
            as: FleetIdentity(program: "bundlectl", installation: "kiosk"),
            over: network,
            clock: clock,
            now: clock.read
        )
    }

    private var page: MetricPage {
        var page = MetricPage()
        page.counter("a_total", "A.")
        page.sample([], 1)
        return page
    }

    private let start = TestClock().date

    @Test(
        "goes out in the form and by the method that the collector understands",
        arguments: [
            ("otlp+" + Self.otlp, Self.otlp, HTTPRequest.Method.post, "application/json", #"{"resourceMetrics":["#),
            (
                "pushgateway+http://a.example", "http://a.example/metrics/job/bundlectl/instance/kiosk", .put,
                "text/plain; version=0.0.4; charset=utf-8", "# HELP a_total A."
            ),
        ]
    )
    func request(_ target: String, _ url: String, _ method: HTTPRequest.Method, _ type: String, _ begin: String)
        async throws
    {
        let network = ScriptedTransport()
        let received = Mutex("")
        network.response(calling: url) { call in
            var bytes: [UInt8] = []
            for try await chunk in try #require(call.content) { bytes += chunk }
            received.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
            return OriginResponse(.ok)
        }
        let (outcome, pause) = try await exporter(network, target).push(page, since: start)
        #expect(outcome == .taken && pause == .zero && outcome.warning == nil)
        let request = try #require(network.requests.first)
        #expect(request.method == method && request.headerFields[.contentType] == type)
        let text = received.withLock(\.self)
        #expect(text.hasPrefix(begin) && request.headerFields[.contentLength] == String(text.utf8.count))
    }

    @Test(
        "what a collector refuses of a push is told with its reason, as far as that can be read",
        arguments: [
            (#"{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"too\nold"}}"#, Int64(3), #"too\u{a}old"#),
            (#"{"partialSuccess":{"rejectedDataPoints":3}}"#, 3, ""),
            (#"{"partialSuccess":{"rejectedDataPoints":"0","errorMessage":"be quick"}}"#, 0, ""), ("{}", 0, ""),
            ("", 0, ""),
            ("<html>", 0, ""), (#"{"partialSuccess":null}"#, 0, ""),
            (#"{"partialSuccess":{"rejectedDataPoints":"-9","errorMessage":"a"}}"#, 0, ""),
            (String(repeating: "[", count: 65_000), 0, ""), (String(repeating: " ", count: 1 << 20) + "{}", 0, ""),
        ]
    )
    func partialSuccess(_ body: String, _ count: Int64, _ message: String) async throws {
        let network = ScriptedTransport()
        network.response(Self.otlp, .ok, [.contentType: "application/json"], body)
        let outcome = try await exporter(network).push(page, since: start).outcome
        guard count > 0 else {
            #expect(outcome == .taken)
            return
        }
        let told = message.isEmpty ? "" : ": \(message)"
        #expect(outcome.warning == "the collector has refused \(count) of the metrics\(told)")
    }

    @Test(
        "another status is a failure, after which the collector is left alone as long as it says",
        arguments: [
            (429, "30", Duration.seconds(30)), (503, "Thu, 01 Jan 2026 00:02:00 GMT", .seconds(120)),
            (500, "30", .zero),
            (404, nil, .zero), (307, "30", .zero), (429, "x", .zero), (429, "999999999999", .seconds(86_400)),
        ] as [(Int, String?, Duration)]
    )
    func statuses(_ code: Int, _ retryAfter: String?, _ expected: Duration) async throws {
        let network = ScriptedTransport()
        var fields: HTTPFields = [.location: "http://127.0.0.1:4318/other"]
        if let retryAfter { fields[.retryAfter] = retryAfter }
        network.response(Self.otlp, HTTPResponse.Status(code: code), fields, "no")
        let (outcome, pause) = try await exporter(network).push(page, since: start)
        #expect(outcome == .failed(reason: "it responded with \(code)") && pause == expected)
        #expect(network.requests.count == 1)
    }

    @Test(
        "a collector that doesn't respond, or doesn't end its response, is left after ten seconds",
        arguments: [true, false]
    )
    func silence(respondsWithHead: Bool) async throws {
        let (network, clock) = (ScriptedTransport(), TestClock())
        network.response(Self.otlp) { _ in
            let never = AsyncStream<[UInt8]> { _ in }
            guard respondsWithHead else {
                for await _ in never {}
                throw CancellationError()
            }
            return OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(never))
        }
        let exporter = try exporter(network, clock: clock)
        async let pushed = exporter.push(page, since: start)
        try await clock.waitForSleeps(1)
        clock.advance(by: TelemetryExporter.timeLimit)
        #expect(await pushed.outcome == .failed(reason: "it didn't respond within 10.0 seconds"))
    }

    @Test("the service pushes one after the other, waits as long as it is told to, and logs only what changes")
    func service() async throws {
        try await withStore { store in
            let (network, clock, log) = (ScriptedTransport(), TestClock(), RecordedLog())
            let status = Mutex(HTTPResponse.Status.ok)
            network.response(Self.otlp) { _ in
                let status = status.withLock(\.self)
                return OriginResponse(status, status == .tooManyRequests ? [.retryAfter: "600"] : [:], "{}")
            }
            let service = TelemetryService(
                exporter: try exporter(network),
                sources: MetricSources(store),
                interval: .seconds(60),
                firstDelay: .seconds(7),
                clock: clock,
                logger: log.logger
            )
            let group = ServiceGroup(configuration: .init(services: [service], logger: log.logger))
            let running = Task { try await group.run() }
            var expected = 0
            for (delay, next, isPushed) in [
                (7, HTTPResponse.Status.badGateway, true), (60, .badGateway, true), (60, .tooManyRequests, true),
                (60, .ok, true), (599, .ok, false), (1, .ok, true), (60, .ok, true),
            ] {
                if isPushed {
                    try await clock.step(by: .seconds(delay))
                } else {
                    clock.advance(by: .seconds(delay))
                }
                expected += isPushed ? 1 : 0
                #expect(network.requests.count == expected)
                status.withLock { $0 = next }
            }
            let telemetry = log.lines.filter { $0.contains("telemetry: ") }
            #expect(telemetry.count == 2, "\(telemetry)")
            #expect(telemetry.first?.contains("the metrics weren't taken: it responded with 502") == true)
            #expect(telemetry.last?.contains("the metrics are taken again") == true)
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }
}
