import BundleNetwork
import BundleServing
import Foundation
import Testing

@testable import BundleServer

@Suite("Endpoint metrics")
struct EndpointMetricsTests {
    @Test("requests are counted by layer and status, bytes by layer, from any number of threads")
    func requests() {
        let ledger = TallyLedger()
        let metrics = EndpointMetrics(ledger)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let tally = ledger.makeSheet().tally(ResponseSource(.active), status: 200)
            for _ in 0..<1_000 {
                tally.add(byteCount: 10, nil)
                metrics.record(.active, duration: .microseconds(50))
            }
        }
        ledger.makeSheet().record(ResponseSource(.miss), status: 504, byteCount: 3)
        metrics.record(.miss, duration: .seconds(20))
        let lines = Self.lines(metrics)
        #expect(lines.contains(#"bundlectl_http_requests_total{layer="active",code="200"} 4000"#))
        #expect(lines.contains(#"bundlectl_http_requests_total{layer="miss",code="504"} 1"#))
        #expect(lines.contains(#"bundlectl_http_response_body_bytes_total{layer="active"} 40000"#))
        #expect(lines.contains(#"bundlectl_http_request_duration_seconds_bucket{layer="active",le="0.0001"} 4000"#))
        #expect(lines.contains(#"bundlectl_http_request_duration_seconds_bucket{layer="miss",le="10"} 0"#))
        #expect(lines.contains(#"bundlectl_http_request_duration_seconds_bucket{layer="miss",le="+Inf"} 1"#))
        #expect(lines.contains(#"bundlectl_http_request_duration_seconds_sum{layer="miss"} 20"#))
    }

    @Test("connections are counted, and open ones separately")
    func connections() {
        let metrics = EndpointMetrics()
        for _ in 0..<3 { metrics.connectionOpened() }
        metrics.connectionClosed()
        metrics.connectionRefused()
        metrics.originBytesReceived(5)
        let lines = Self.lines(metrics)
        #expect(lines.contains("bundlectl_http_connections 2"))
        #expect(lines.contains("bundlectl_http_connections_accepted_total 3"))
        #expect(lines.contains("bundlectl_http_connections_refused_total 1"))
        #expect(lines.contains("bundlectl_origin_received_bytes_total 5"))
    }

    @Test("numbers outside any valid range don't trap", arguments: [-1, 0, 600, Int.max, Int.min])
    func oddNumbers(_ number: Int) {
        let ledger = TallyLedger()
        let metrics = EndpointMetrics(ledger)
        ledger.makeSheet().record(ResponseSource(.server), status: number, byteCount: number)
        metrics.record(.server, duration: .seconds(number))
        #expect(Self.lines(metrics).contains { $0.hasPrefix(#"bundlectl_http_requests_total{layer="server""#) })
    }

    private static func lines(_ metrics: EndpointMetrics) -> [String] {
        var page = MetricPage()
        metrics.write(to: &page)
        return PrometheusText(page).text.split(separator: "\n").map(String.init)
    }
}
