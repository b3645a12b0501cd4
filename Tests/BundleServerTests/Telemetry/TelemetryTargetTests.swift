import Foundation
import Testing

@testable import BundleServer

@Suite("Where metrics are pushed to")
struct TelemetryTargetTests {
    private func url(_ text: String, _ labels: [(String, String)] = [], installation: String? = nil) throws -> String {
        let labels = try labels.map { try #require(FleetLabel(name: $0.0, value: $0.1)) }
        return try #require(TelemetryTarget(text)).url(
            for: FleetIdentity(program: "bundlectl", installation: installation, labels: labels)
        )
        .absoluteString
    }

    @Test(
        "OTLP has the path that is given, or that of its specification",
        arguments: [
            ("otlp+http://127.0.0.1:4318/v1/metrics", "http://127.0.0.1:4318/v1/metrics"),
            ("otlp+https://otel.example.com", "https://otel.example.com/v1/metrics"),
            ("otlp+http://[::1]:4318/", "http://[::1]:4318/v1/metrics"),
            ("otlp+https://a.example/in/v1/metrics", "https://a.example/in/v1/metrics"),
        ]
    )
    func otlp(_ text: String, _ expected: String) throws {
        #expect(try url(text, [("site", "42")], installation: "kiosk") == expected)
    }

    @Test("a Pushgateway has a group for the installation, and values that could be no part of a path are in Base64")
    func pushgateway() throws {
        let gateway = "pushgateway+http://127.0.0.1:9091"
        let group = "http://127.0.0.1:9091/metrics/job/bundlectl"
        #expect(try url(gateway) == group)
        #expect(try url(gateway + "/", installation: "0123") == group + "/instance/0123")
        #expect(try url(gateway, [("site", "42")], installation: "a/b") == group + "/instance@base64/YS9i/site/42")
        #expect(try url(gateway, [("site", "..")]) == group + "/site@base64/Li4=")
        #expect(try url(gateway, [("site", "??>")]) == group + "/site@base64/Pz8-")
        #expect(try url(gateway + "/prefix") == "http://127.0.0.1:9091/prefix/metrics/job/bundlectl")
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "otlp", "http://a.example", "otlp+ftp://a.example", "OTLP+http://a.example", "statsd+http://a.example",
            "otlp+http://user:secret@a.example/", "otlp+http://a.example/?key=secret", "otlp+http://a.example/#a",
            "otlp+http://",
        ]
    )
    func invalid(_ text: String) {
        #expect(TelemetryTarget(text) == nil)
    }
}
