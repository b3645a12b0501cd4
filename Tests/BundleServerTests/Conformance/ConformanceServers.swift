import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServer

/// Two servers of one store, one in clear text and one over TLS, whose clocks stand still: their responses must not
/// differ.
struct ConformanceServers: Sendable {
    let plain: RunningEndpoint
    let secure: RunningEndpoint
    /// The values of placeholders such as `{tag}`.
    let values: [String: String]

    /// The servers of the running suite.
    @TaskLocal static var current: ConformanceServers?

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let script = String(repeating: "function add(a, b) { return a + b }\n", count: 50)
    static let cachedFields: HTTPFields = [
        .cacheControl: "max-age=3600", .contentType: "application/json", .eTag: "\"v1\"",
        .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .vary: "Accept-Language",
        .date: "Fri, 15 Jan 2027 08:00:00 GMT",
    ]

    /// The text with the servers' values in place of the placeholders.
    func filled(_ text: String) -> String {
        values.reduce(text) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
    }
}

// MARK: - Starting them

extension ConformanceServers {
    typealias Configure = @Sendable (inout BundleEndpoint.Configuration) -> Void

    /// The shop is mounted, so that it opens in browsers there.
    static func run(_ configureFurther: @escaping Configure, _ body: () async throws -> Void) async throws {
        let mount = try #require(Mount("shop=/shop"))
        let configure: Configure = {
            $0.addresses.mounts = [mount]
            configureFurther(&$0)
        }
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("conformance", in: folder)
            let files = TLSFiles(certificate: certificate.certificate, key: certificate.key)
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            try install(into: store)
            let network = ScriptedTransport()
            network.response("https://m.example.com/shop/data.json", .ok, cachedFields, #"{"a":1}"#)
            try await withEndpoint(store, transport: network, now: { now }, configure: configure) { plain in
                try await withEndpoint(store, transport: network, now: { now }) { configuration in
                    configure(&configuration)
                    configuration.tls = files
                } _: { secure in
                    let servers = try await prepared(plain, secure)
                    try await $current.withValue(servers, operation: body)
                }
            }
        }
    }

    private static func install(into store: BundleStore) throws {
        try store.install(
            """
            {"name": "shop", "version": "1.0.0", "origins": [{"url": "https://m.example.com/shop/", "path": "/"}]}
            """,
            ["index.html": "<p>shop", "digits.bin": "0123456789", "app.js": script, "folder/index.html": "<p>inside"]
        )
        try store.install(#"{"name": "alone", "version": "1.0.0", "origins": []}"#, ["index.html": "<p>alone"])
    }

    /// Makes the server store a coded form and a response.
    private static func prepared(
        _ plain: RunningEndpoint,
        _ secure: RunningEndpoint
    ) async throws -> ConformanceServers {
        let unfilled = ConformanceServers(plain: plain, secure: secure, values: [:])
        var values: [String: String] = [:]
        for path in [ConformancePath.channel, .http1OverTLS] {
            func get(_ target: String, _ fields: [(String, String)] = []) async throws -> RawResponse {
                let request = ConformanceRequest(target: target, fields: fields.map { ($0.0, $0.1) })
                return try await path.responses(to: request, from: unfilled)[0]
            }
            let coded = [("Accept-Encoding", "br")]
            let deadline = ContinuousClock.now + .seconds(30)
            while try await get("/shop/app.js", coded)["content-encoding"] == nil, ContinuousClock.now < deadline {}
            values["coded-tag"] = try await get("/shop/app.js", coded)["etag"]
            _ = try await get("/shop/data.json")
            let file = try await get("/shop/digits.bin")
            values["tag"] = file["etag"]
            values["modified"] = file["last-modified"]
        }
        let modified = try #require(values["modified"].flatMap { HTTPDate($0) })
        for (name, seconds) in [("earlier", -1), ("later", 1)] {
            values[name] = HTTPDate(modified.date.addingTimeInterval(TimeInterval(seconds)))?.fieldValue
        }
        values["modified-850"] = obsolete(modified.date, "EEEE, dd-MMM-yy HH:mm:ss 'GMT'")
        values["modified-asctime"] = asctime(modified.date)
        return ConformanceServers(plain: plain, secure: secure, values: values)
    }

    /// An obsolete format (RFC 9110 §5.6.7).
    private static func obsolete(_ date: Date, _ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter.string(from: date)
    }

    /// Its day has two characters, the first of which may be a space.
    private static func asctime(_ date: Date) -> String {
        let day = obsolete(date, "d")
        return obsolete(date, "EEE MMM '\(day.count == 1 ? " " : "")\(day)' HH:mm:ss yyyy")
    }
}

// MARK: - For a suite

/// Runs the servers for as long as a suite's tests run.
struct ConformanceTrait: SuiteTrait, TestScoping {
    let configure: ConformanceServers.Configure

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ConformanceServers.run(configure, function)
    }
}

extension Trait where Self == ConformanceTrait {
    /// The servers that a suite's tests share.
    static func conformanceServers(
        _ configure: @escaping ConformanceServers.Configure = { _ in }
    ) -> ConformanceTrait {
        ConformanceTrait(configure: configure)
    }
}
