import BundleTesting
import Foundation
import Testing

/// The queries of the page “Rollouts”, which are those of `feed advance`, on the metrics of installations.
struct RolloutQueryTests {
    private static let promtool = "/usr/bin/promtool"

    /// An installation: how often it has activated a version, found it bad, and left it by the cause; and for how many minutes of an hour it
    /// tells so.
    private struct Device {
        let name: String
        var version = "1.2.0"
        let activated: Int
        let bad: Int
        var rollbacks: [String: Int] = ["requested": 0, "marked_bad": 0, "not_confirmed_in_time": 0]
        var minutes = 60

        var series: [String] {
            let labels = #"bundle="shop",version="\#(version)",instance="\#(name)""#
            let metrics =
                [
                    ("bundlectl_release_activations_total{\(labels)}", activated),
                    ("bundlectl_release_bad_reports_total{\(labels)}", bad),
                ]
                + rollbacks.sorted { $0.key < $1.key }.map {
                    (#"bundlectl_rollbacks_total{\#(labels),cause="\#($0.key)"}"#, $0.value)
                }
            return metrics.map { "  - series: '\($0.0)'\n    values: '\($0.1)x\(minutes)'\n" }
        }
    }

    /// Installations, how many of them have had 1.2.0, and on how many it is bad; nil for no value.
    private static let fleets: [([Device], active: Int?, bad: Int?)] = [
        (
            [
                Device(name: "good", activated: 1, bad: 0),
                // Counts once.
                Device(name: "reported and left", activated: 1, bad: 1, rollbacks: ["marked_bad": 1]),
                Device(
                    name: "left, and silent since",
                    activated: 2,
                    bad: 0,
                    rollbacks: ["not_confirmed_in_time": 2],
                    minutes: 10
                ),
                Device(name: "left by its operator", activated: 1, bad: 0, rollbacks: ["requested": 3]),
                Device(name: "has it, and not active yet", activated: 0, bad: 0),
                Device(name: "on another version, which is bad", version: "1.1.0", activated: 1, bad: 1),
            ], 4, 2
        ),
        ([Device(name: "good", activated: 1, bad: 0)], 1, 0),
        ([Device(name: "on another version", version: "1.1.0", activated: 1, bad: 1)], nil, nil),
    ]

    /// The queries of the page, in their order.
    private static func queries() throws -> [String] {
        let text = try Project.text("Sources/bundlectl/bundlectl.docc/Rollouts.md")
        let section = text.components(separatedBy: "\n## The queries\n").last ?? ""
        return section.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: promtool), "Debian's package prometheus has promtool")
    )
    func `they count what installations tell, each once, and nothing where none tells of the release`() async throws {
        let queries = try Self.queries().map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        try #require(queries.count == 2)
        let tests = Self.fleets.map { devices, active, bad in
            let expectations = zip(queries, [active, bad]).map { query, value in
                let samples = value.map { "\n    - labels: '{}'\n      value: \($0)\n" } ?? " []\n"
                return "  - expr: '\(query)'\n    eval_time: 59m\n    exp_samples:\(samples)"
            }
            return
                "- interval: 1m\n  input_series:\n\(devices.flatMap(\.series).joined())  promql_expr_test:\n\(expectations.joined())"
        }
        try await withTemporaryDirectory { directory in
            try directory.write("evaluation_interval: 1m\ntests:\n\(tests.joined())", to: "rollout.yml")
            let run = try await ChildProcess.run(Self.promtool, ["test", "rules", directory.path(of: "rollout.yml")])
            #expect(run.exitCode == 0, "\(run.output)\(run.errorOutput)")
        }
    }
}
