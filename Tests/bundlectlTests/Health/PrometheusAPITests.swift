import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPTypes
import Testing

@testable import bundlectl

@Suite("Prometheus' API")
struct PrometheusAPITests {
    private static let base = "https://metrics.example.com/prom"
    private static let url = base + "/api/v1/query?query=sum%28x%7Ba%3D%22b%22%7D%29"
    private static let query = #"sum(x{a="b"})"#

    private func server(_ network: ScriptedTransport, _ clock: any Clock<Duration> = TestClock()) -> PrometheusAPI {
        PrometheusAPI(url: Self.base, transport: network, clock: clock)
    }

    private static func vector(_ elements: String) -> String {
        #"{"status": "success", "data": {"resultType": "vector", "result": [\#(elements)]}}"#
    }

    @Test(
        "a query has the value of its one element or scalar, or none",
        arguments: [
            (vector(#"{"metric": {}, "value": [1435781451.781, "57"]}"#), 57),
            (vector(#"{"metric": {"a": "b"}, "value": [1, "0.5"]}"#), 0.5), (vector(""), nil),
            (vector(#"{"metric": {}, "value": [1, "0"]}"#), 0),
            (vector(#"{"metric": {}, "value": [1, "1e+06"]}"#), 1_000_000),
            (#"{"status": "success", "warnings": ["x"], "data": {"resultType": "scalar", "result": [1, "2"]}}"#, 2),
        ] as [(String, Double?)]
    )
    func value(_ document: String, _ value: Double?) async throws {
        let network = ScriptedTransport()
        network.response(Self.url, .ok, [:], document)
        #expect(try await server(network).value(of: Self.query) == value)
        #expect(network.requests.first?.headerFields[.userAgent] == ProductVersion.userAgent)
    }

    @Test(
        "anything else is no number",
        arguments: [
            "", "[]", "{}", "{\"status\": \"success\"}", vector(#"{"value": [1, "NaN"]}"#),
            vector(#"{"value": [1, "+Inf"]}"#),
            vector(#"{"value": [1, "-1"]}"#), vector(#"{"value": [1, 1]}"#), vector(#"{"value": ["1"]}"#), vector("7"),
            vector(#"{"value": [1, "1"]}, {"value": [1, "2"]}"#),
            #"{"status": "error", "data": {"resultType": "scalar", "result": [1, "2"]}}"#,
            #"{"status": "success", "data": {"resultType": "matrix", "result": []}}"#,
            #"{"status": "success", "data": {"resultType": "string", "result": [1, "2"]}}"#,
            String(repeating: "[", count: 100_000), String(repeating: " ", count: PrometheusAPI.maximumByteCount + 1),
        ]
    )
    func refused(_ document: String) async throws {
        let network = ScriptedTransport()
        network.response(Self.url, .ok, [:], document)
        let error = await #expect(throws: BundleError.self) { try await server(network).value(of: Self.query) }
        #expect(error?.code == .unexpectedResponse)
    }

    @Test(
        "a server that doesn't respond with 200 is told with its reason, and no redirect is followed",
        arguments: [
            (400, #"{"status": "error", "error": "bad\nquery"}"#, #"responded with 400: bad\u{a}query"#),
            (503, "", "responded with 503"), (302, "", "responded with 302"), (404, "<html>", "responded with 404"),
        ]
    )
    func status(_ code: Int, _ document: String, _ message: String) async throws {
        let network = ScriptedTransport()
        let fields: HTTPFields = [.location: Self.base + "/other"]
        network.response(Self.url, HTTPResponse.Status(code: code), fields, document)
        let error = await #expect(throws: BundleError.self) { try await server(network).value(of: Self.query) }
        #expect(error?.code == .networkUnavailable)
        #expect(error?.message.hasSuffix(message) == true, "\(error?.message ?? "")")
        #expect(network.requests.count == 1)
    }

    @Test("a server that doesn't respond is left after its time")
    func silence() async throws {
        let (network, clock) = (ScriptedTransport(), TestClock())
        network.response(Self.url) { _ in
            try await ContinuousClock().sleep(for: .seconds(3_600))
            return OriginResponse(.ok)
        }
        let server = server(network, clock)
        let asking = Task { try await server.value(of: Self.query) }
        try await clock.waitForSleeps(1)
        clock.advance(by: PrometheusAPI.defaultTimeLimit)
        let error = await #expect(throws: BundleError.self) { try await asking.value }
        #expect(error?.message.contains("didn't respond within 30.0 seconds") == true)
    }

    @Test("a user and a password are sent to their host, over https")
    func credentials() async throws {
        let network = ScriptedTransport()
        network.response(Self.url, .ok, [:], Self.vector(""))
        var server = server(network)
        server.credentials = try FeedCredentials(netrc: "machine metrics.example.com login a password b")
        _ = try await server.value(of: Self.query)
        #expect(network.requests.first?.headerFields[.authorization] == "Basic YTpi")
    }
}
