import BundleStore
import Foundation
import Testing

@testable import BundleServer

@Suite("Metrics as OTLP in JSON")
struct OTLPDocumentTests {
    private let start = Date(timeIntervalSince1970: 1_790_000_000)

    private func text(_ identity: FleetIdentity = FleetIdentity(), _ fill: (inout MetricPage) -> Void) -> String {
        var page = MetricPage()
        fill(&page)
        return JSONDocument.line(of: OTLPDocument(page, of: identity, since: start, at: start.addingTimeInterval(60.5)))
    }

    @Test("the resource is the program, the installation unless that is left out, and the labels")
    func resource() throws {
        let site = try #require(FleetLabel(name: "site", value: "42"))
        func attribute(_ key: String, _ value: String) -> String {
            #"{"key":"\#(key)","value":{"stringValue":"\#(value)"}}"#
        }
        let version = ProductVersion.string
        let service = [attribute("service.name", "bundlectl"), attribute("service.version", version)]
        for (installation, number) in [("0123", [attribute("service.instance.id", "0123")]), (nil, [])] {
            let attributes = (service + number + [attribute("site", "42")]).joined(separator: ",")
            #expect(
                text(FleetIdentity(program: "bundlectl", installation: installation, labels: [site])) { _ in } == """
                    {"resourceMetrics":[{"resource":{"attributes":[\(attributes)]},\
                    "scopeMetrics":[{"metrics":[],"scope":{"name":"bundlectl","version":"\(version)"}}]}]}
                    """
            )
        }
    }

    @Test("a counter is a cumulative, monotonic sum since the process began, or since it was 0 before")
    func counters() {
        let text = text { page in
            page.counter("a_total", "A.")
            page.sample([("bundle", "shop")], 3)
            page.sample([], 4, since: start.addingTimeInterval(-10))
            // The format has no larger integer.
            page.sample([], UInt64.max)
        }
        let now = #""timeUnixNano":"1790000060500000000"}"#
        #expect(
            text.contains(
                """
                {"description":"A.","name":"a_total","sum":{"aggregationTemporality":2,"dataPoints":[\
                {"asInt":3,"attributes":[{"key":"bundle","value":{"stringValue":"shop"}}],\
                "startTimeUnixNano":"1790000000000000000",\(now),\
                {"asInt":4,"attributes":[],"startTimeUnixNano":"1789999990000000000",\(now),\
                {"asDouble":1.8446744073709552e+19,"attributes":[],"startTimeUnixNano":"1790000000000000000",\(now)],\
                "isMonotonic":true}}
                """
            ),
            "\(text)"
        )
    }

    @Test("a gauge has no start, and a histogram has the count of each bucket by itself")
    func others() {
        let text = text { page in
            page.gauge("b", "B.")
            page.sample([], 1.5)
            page.histogram("h_seconds", "H.")
            page.histogramSamples([("layer", "active")], bounds: [0.5, 1], cumulativeCounts: [1, 3, 4], sum: 6.25)
        }
        let now = #""timeUnixNano":"1790000060500000000"}"#
        #expect(
            text.contains(
                #"{"description":"B.","gauge":{"dataPoints":[{"asDouble":1.5,"attributes":[],\#(now)]},"name":"b"}"#
            )
        )
        #expect(
            text.contains(
                """
                "histogram":{"aggregationTemporality":2,"dataPoints":[\
                {"attributes":[{"key":"layer","value":{"stringValue":"active"}}],"bucketCounts":[1,2,1],"count":4,\
                "explicitBounds":[0.5,1],"startTimeUnixNano":"1790000000000000000","sum":6.25,\(now)]},"name":"h_seconds"}
                """
            ),
            "\(text)"
        )
    }
}
