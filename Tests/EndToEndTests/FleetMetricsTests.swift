import BundleTesting
import Foundation
import Testing

/// What those who watch a fleet get to see, by the programs that they use.
@Suite("Fleet metrics", .timeLimit(.minutes(10)))
struct FleetMetricsTests {
    /// Provides a server of a store in which 1.1.0 was left for 1.0.0, and whose feed offers both; and the address of its metrics.
    private func withServer(
        _ options: [String] = [],
        _ body: (Bundlectl, _ address: String, _ admin: String) async throws -> Void
    ) async throws {
        try await withPublisher { publisher, bundlectl in
            for version in ["1.0.0", "1.1.0"] { try await publisher.publish(version, with: bundlectl) }
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "update", "shop", "--feed", publisher.origin + "/releases/feed.json")
            try await bundlectl.expect(0, "mark-bad", "shop@1.1.0", "--reason", "the cart stays empty")
            let port = try ReservedPort()
            let arguments = ["--admin", "127.0.0.1:\(port.number)", "--label", "site=42"] + options
            try await bundlectl.serving(arguments) { address, _ in
                try await body(bundlectl, address, "127.0.0.1:\(port.number)")
            }
        }
    }

    /// What holds for that store, as a query and its value by version.
    private static let facts: [(query: String, value: [String: Double])] = [
        (#"bundlectl_release_info{bundle="shop",state="active"}"#, ["1.0.0": 1]),
        (#"bundlectl_release_activations_total{bundle="shop"}"#, ["1.0.0": 1, "1.1.0": 1]),
        (#"bundlectl_release_bad_reports_total{bundle="shop"}"#, ["1.0.0": 0, "1.1.0": 1]),
        (#"bundlectl_rollbacks_total{bundle="shop",cause="marked_bad"}"#, ["1.0.0": 0, "1.1.0": 1]),
        (#"bundlectl_update_versions_behind{bundle="shop"}"#, ["": 1]),
    ]

    @Test(.enabled(if: FleetTools.has("promtool"), "Debian's package prometheus has promtool"))
    func `promtool finds no fault with the metrics and the alerts, which a simulated fleet sets off`() async throws {
        try await withServer { bundlectl, _, admin in
            let page = bundlectl.store + "-metrics.txt"
            let text = try await Curl.get("http://\(admin)/metrics").text
            try Data(text.utf8).write(to: URL(fileURLWithPath: page))
            let metrics = try await ChildProcess.run("sh", ["-c", "promtool check metrics <\"$1\"", "sh", page])
            #expect(metrics.exitCode == 0 && metrics.errorOutput.isEmpty, "\(metrics.errorOutput)\(metrics.output)")
            for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]] {
                let rules = try await ChildProcess.run("promtool", arguments, currentDirectory: FleetTools.folder)
                #expect(rules.exitCode == 0, "\(rules.errorOutput)\(rules.output)")
            }
            // Only a signed feed has it.
            let names = Set(text.matches(of: /TYPE (\w+)/).map { String($0.1) }).union(["bundlectl_trust_due"])
            for file in ["alerts.yml", "alerts.test.yml", "dashboard.json"] {
                let named = try String(contentsOfFile: "\(FleetTools.folder)/\(file)", encoding: .utf8)
                    .matches(of: /bundlectl_\w+/).map { String($0.0) }
                #expect(!named.isEmpty && Set(named).isSubset(of: names), "\(file): \(Set(named).subtracting(names))")
            }
        }
    }

    @Test(.enabled(if: FleetTools.has("prometheus"), "Debian's package prometheus has it"))
    func `a real Prometheus has the values of the store, and data for every query of the dashboard`() async throws {
        try await withServer { bundlectl, address, admin in
            let folder = bundlectl.store + "-prometheus"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let configuration = """
                global: {scrape_interval: 1s, evaluation_interval: 1s}
                rule_files: ["\(FleetTools.folder)/alerts.yml"]
                scrape_configs: [{job_name: bundlectl, static_configs: [{targets: ["\(admin)"]}]}]
                """
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/prometheus.yml"))
            let port = try ReservedPort()
            let arguments = [
                "--config.file=\(folder)/prometheus.yml", "--storage.tsdb.path=\(folder)/data",
                "--web.listen-address=127.0.0.1:\(port.number)",
            ]
            try await withChildProcess("prometheus", arguments) { prometheus in
                try await prometheus.waitForErrorOutput(containing: "Server is ready to receive web requests.")
                let server = QueryServer(address: "http://127.0.0.1:\(port.number)")
                for (query, expected) in Self.facts {
                    #expect(try await server.awaitedValues(query, by: "version") == expected, "\(query)")
                }
                for query in try FleetTools.dashboardQueries() {
                    try await eventually(query, every: .milliseconds(200)) {
                        // A rate needs requests between two scrapes.
                        _ = try await Curl.get("\(address)/shop/")
                        return try await !server.values(query).isEmpty
                    }
                }
                let labels = try await server.values("bundlectl_installation_info", by: "site")
                #expect(labels == ["42": 1])
            }
        }
    }

    @Test(.enabled(if: FleetTools.has("victoria-metrics"), "Debian's package victoria-metrics has it"))
    func `VictoriaMetrics reads the same values`() async throws {
        try await withServer { bundlectl, _, admin in
            let port = try ReservedPort()
            let arguments = [
                "-httpListenAddr=127.0.0.1:\(port.number)", "-storageDataPath=\(bundlectl.store)-victoria",
                "-search.latencyOffset=0s",
            ]
            try await withChildProcess("victoria-metrics", arguments) { process in
                try await process.waitForErrorOutput(containing: "starting http server at")
                let server = QueryServer(address: "http://127.0.0.1:\(port.number)")
                let page = bundlectl.store + "-metrics.txt"
                let text = try await Curl.get("http://\(admin)/metrics").text
                try Data(text.utf8).write(to: URL(fileURLWithPath: page))
                let imported = try await Curl.get(
                    "\(server.address)/api/v1/import/prometheus",
                    "--data-binary",
                    "@\(page)"
                )
                #expect(imported.status == 204)
                for (query, expected) in Self.facts {
                    #expect(try await server.awaitedValues(query, by: "version") == expected, "\(query)")
                }
            }
        }
    }

    @Test(.enabled(if: FleetTools.has("prometheus-pushgateway"), "Debian's package prometheus-pushgateway has it"))
    func `update and check push to a Pushgateway in the group of the installation`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.1.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let port = try ReservedPort()
            try await withChildProcess(
                "prometheus-pushgateway",
                ["--web.listen-address=127.0.0.1:\(port.number)"]
            ) { process in
                try await process.waitForErrorOutput(containing: "Listening on")
                let gateway = "http://127.0.0.1:\(port.number)"
                let feed = publisher.origin + "/releases/feed.json"
                for (verb, instance, expected) in [
                    (
                        "check", "kiosk-7",
                        #"bundlectl_update_versions_behind{bundle="shop",instance="kiosk-7",job="bundlectl","#
                    ),
                    ("update", "a/b", #"bundlectl_release_info{bundle="shop",instance="a/b",job="bundlectl","#),
                ] {
                    let telemetry = [
                        "--telemetry", "pushgateway+\(gateway)", "--telemetry-instance", instance, "--label",
                        "site=4 2",
                    ]
                    let status: Int32 = verb == "check" ? 10 : 0
                    let result = try await bundlectl.run([verb, "shop", "--feed", feed] + telemetry)
                    #expect(
                        result.exitCode == status && !result.errorOutput.contains("telemetry"),
                        "\(result.errorOutput)"
                    )
                    let page = try await Curl.get("\(gateway)/metrics").text
                    let lines = page.split(separator: "\n").filter { $0.hasPrefix(expected + #"site="4 2""#) }
                    #expect(lines.contains { $0.hasSuffix(" 1") }, "\(page)")
                }
            }
            // Then the collector is gone: only a warning says so.
            let result = try await bundlectl.run([
                "update", "shop", "--telemetry", "pushgateway+http://127.0.0.1:\(port.number)",
            ])
            #expect(result.errorOutput.contains("--telemetry: the metrics weren't taken"), "\(result.errorOutput)")
            let plain = try await bundlectl.run(["update", "shop"])
            #expect(result.exitCode == plain.exitCode && result.output == plain.output)
        }
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: FleetTools.rotel),
            "scripts/fetch-rotel installs a collector of OpenTelemetry"
        )
    )
    func `a real collector takes what is pushed by OTLP, with the values of the store`() async throws {
        let (http, grpc) = (try ReservedPort(), try ReservedPort())
        let arguments = [
            "start", "--otlp-http-endpoint", "127.0.0.1:\(http.number)", "--otlp-grpc-endpoint",
            "127.0.0.1:\(grpc.number)",
            "--exporter", "blackhole", "--debug-log", "metrics", "--debug-log-verbosity", "detailed",
        ]
        try await withChildProcess(FleetTools.rotel, arguments) { collector in
            let target = "otlp+http://127.0.0.1:\(http.number)/v1/metrics"
            let telemetry = ["--telemetry", target, "--telemetry-interval", "1s", "--telemetry-instance", "kiosk-7"]
            try await withServer(telemetry) { _, _, _ in
                let start = "Name: bundlectl_release_bad_reports_total"
                var log = ""
                try await eventually(every: .milliseconds(200)) {
                    log = collector.output + collector.errorOutput
                    return log.contains("Name: process_resident_memory_bytes")
                }
                #expect(log.contains("service.instance.id: Str(kiosk-7)") && log.contains("site: Str(42)"))
                let metric = try #require(log.components(separatedBy: start).dropFirst().first)
                    .components(separatedBy: "Metric #")[0]
                #expect(metric.contains("IsMonotonic: true") && metric.contains("AGGREGATION_TEMPORALITY_CUMULATIVE"))
                // Of 1.0.0 and 1.1.0.
                let values = metric.matches(of: /Value: (\d+)/).map { String($0.1) }
                #expect(values == ["0", "1"], "\(metric)")
                #expect(log.contains("DataType: Histogram"))
            }
        }
    }
}
