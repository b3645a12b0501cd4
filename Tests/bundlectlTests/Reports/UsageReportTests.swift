import BundleServing
import Foundation
import Testing

@testable import BundleNetwork
@testable import BundleStore
@testable import BundleUsage
@testable import bundlectl

struct UsageReportTests {
    private func report(_ counts: [UsageMeasure: Int64], misses: [String: Int64] = [:]) -> UsageReport {
        var statistics = StatisticsAddition()
        for (measure, value) in counts { statistics.add(value, to: .init(bundle: "shop", measure: measure.name)) }
        for (path, count) in misses {
            statistics.add(.init(count: count), to: .init(bundle: "shop", list: .misses, text: path))
            let slow = StatisticsAddition.LineValue(count: 2, milliseconds: 3 * count, maximum: 2 * count)
            statistics.add(slow, to: .init(bundle: "shop", list: .slowest, text: "https://e/\(path)"))
        }
        return UsageReport(statistics, listCount: 10)
    }

    @Test("shows what isn't zero, and the lists")
    func lines() {
        let report = report(
            [
                .requests(.active): 90, .requests(.network): 7, .requests(.miss): 3, .bytes(.active): 12_000_000,
                .savedByDeltas: 3_400, .revalidations: 2, .confirmations: 1, .status(5): 3, .failures(.noResponse): 3,
                .misses: 10,
            ],
            misses: ["a.js": 8, "b\u{1B}.js": 2]
        )
        #expect(
            report.lines == [
                "requests       100: active 90, network 7, miss 3",
                "hit rate       90.0 %",
                "sent           bundle 12 MB",
                "saved          deltas 3.4 KB",
                "revalidations  2, 1 confirmed",
                "errors         5xx 3, no response 3",
                "misses         10",
                "",
                "top misses:",
                "REQUESTS  BUNDLE  PATH",
                "       8  shop    a.js",
                "       2  shop    b\\u{1b}.js",
                "",
                "slowest URLs:",
                "LONGEST   MEAN  RESPONSES  BUNDLE  URL",
                "  16 ms  12 ms          2  shop    https://e/a.js",
                "   4 ms   3 ms          2  shop    https://e/b\\u{1b}.js",
            ]
        )
    }

    @Test("says so when nothing has been counted")
    func empty() {
        #expect(report([:]).lines == ["nothing has been counted"])
        #expect(report([:]).hitRate == nil)
    }

    @Test("a list of misses has a path in each line, and no comment")
    func list() {
        let paths = ["a b.js", "#c.js", "d\ne.js", "\u{2028}", "\u{85}x", "é"]
        #expect(MissList.lines(paths) == ["a b.js", "./#c.js", "é"])
    }
}
