import Testing

@testable import BundleServer

@Suite("Prometheus text")
struct PrometheusTextTests {
    @Test("samples follow their family, with labels escaped")
    func families() {
        var page = MetricPage()
        page.counter("a_total", "Back\\slash\nand \"quotes\".")
        page.sample([], 1)
        page.sample([("x", "a\"b\\c\nd"), ("y", "ü")], UInt64.max)
        page.gauge("b", "B.")
        page.sample([], 1.5)
        #expect(
            PrometheusText(page).text == """
                # HELP a_total Back\\\\slash\\nand "quotes".
                # TYPE a_total counter
                a_total 1
                a_total{x="a\\"b\\\\c\\nd",y="ü"} 18446744073709551615
                # HELP b B.
                # TYPE b gauge
                b 1.5

                """
        )
    }

    @Test("a histogram has cumulative buckets, their sum and their count")
    func histogram() {
        var page = MetricPage()
        page.histogram("h_seconds", "H.")
        page.histogramSamples([("l", "x")], bounds: [0.5, 1], cumulativeCounts: [1, 3, 4], sum: 6.25)
        #expect(
            PrometheusText(page).text == """
                # HELP h_seconds H.
                # TYPE h_seconds histogram
                h_seconds_bucket{l="x",le="0.5"} 1
                h_seconds_bucket{l="x",le="1"} 3
                h_seconds_bucket{l="x",le="+Inf"} 4
                h_seconds_sum{l="x"} 6.25
                h_seconds_count{l="x"} 4

                """
        )
    }
}
