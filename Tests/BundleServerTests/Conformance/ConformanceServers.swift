import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServer

/// A server for each driver and format of the access log. Their stores hold the same, and their clocks stand still: what
/// they say may differ in nothing.
struct ConformanceServers: Sendable {
    let all: [ConformanceServer]
    /// What stands for what isn't known before, `{tag}` and the like.
    let values: [String: String]

    /// The servers of the running suite.
    @TaskLocal static var current: ConformanceServers?

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let digits = "0123456789"
    static let script = String(repeating: "function add(a, b) { return a + b }\n", count: 50)
    static let olderScript = "function add() {}\n"
    /// A file whose name has its hash, so that it can be sent as a delta to its earlier version (RFC 9842).
    static let library = script + "export default 2\n"
    private static let olderLibrary = script + "export default 1\n"
    private static let dictionary = Digest(of: Data(olderLibrary.utf8)).withUnsafeBytes { Data($0) }
        .base64EncodedString()
    /// When the releases were installed.
    private static let modified = now.addingTimeInterval(-86_400)
    private static let codings = ["br", "gzip", "zstd"]

    /// The text with the servers' values in place of the placeholders.
    func filled(_ text: String) -> String {
        values.reduce(text) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
    }
}

// MARK: - Starting them

extension ConformanceServers {
    /// The shop is mounted, so that it opens in browsers there.
    static func run(_ configure: @escaping ConformanceServer.Configure, _ body: () async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            var servers: [ConformanceServer] = []
            try await withCleanup {
                for driver in ConformanceDriver.allCases {
                    let formats = driver == .responder ? [AccessLogFormat.json] : [.json, .combined]
                    for format in formats {
                        servers.append(try await start(driver, format, in: folder, configure))
                    }
                }
                // All make them at the same time, at the lowest priority.
                for server in servers { for coding in codings { _ = try server.fields(ofScriptIn: coding) } }
                for server in servers { try await prepare(server) }
                let values = try values(servers[0])
                try await $current.withValue(ConformanceServers(all: servers, values: values), operation: body)
            } cleanUp: {
                for server in servers { await server.stop() }
            }
        }
    }

    /// A server with the releases that all have.
    static func start(
        _ driver: ConformanceDriver,
        _ format: AccessLogFormat,
        in folder: TemporaryDirectory,
        _ configure: ConformanceServer.Configure
    ) async throws -> ConformanceServer {
        let mount = try #require(Mount("shop=/shop"))
        let tls = driver.isSecure ? try TestCertificate.make("\(driver)-\(format)", in: folder) : nil
        let store = try BundleStore(at: folder.path(of: "\(driver)-\(format)"), creating: true, now: { modified })
        try install(into: store)
        let network = ConformanceOrigin.network()
        return try await ConformanceServer(driver, format, store, network: network, in: folder, now: { now }) {
            $0.addresses.mounts = [mount]
            $0.tls = tls.map { TLSFiles(certificate: $0.certificate, key: $0.key) }
            configure(&$0)
        }
    }

    private static func install(into store: BundleStore) throws {
        let releases = [
            ("0.9.0", olderScript, ("lib.0a1b27fd.js", olderLibrary)),
            ("1.0.0", script, ("lib.4e5f96b7.js", library)),
        ]
        for (version, script, library) in releases {
            try store.install(
                """
                {"name": "shop", "version": "\(version)", "offlinePage": "offline.html",
                 "origins": [{"url": "https://m.example.com/shop/", "path": "/"}]}
                """,
                [
                    "index.html": "<p>shop", "digits.bin": digits, "app.js": script, "folder/index.html": "<p>inside",
                    "offline.html": "<p>offline", library.0: library.1,
                ]
            )
        }
        try store.install(#"{"name": "alone", "version": "1.0.0", "origins": []}"#, ["index.html": "<p>alone"])
    }

    /// Has coded forms made, and responses cached.
    private static func prepare(_ server: ConformanceServer) async throws {
        for coding in codings {
            try await eventually { try server.fields(ofScriptIn: coding)[.contentEncoding] != nil }
        }
        let delta = ConformanceRequest(
            "GET",
            "/shop/lib.4e5f96b7.js",
            [("Accept-Encoding", "dcz"), ("Available-Dictionary", ":\(dictionary):")]
        )
        try await eventually { try await server.ask(delta, isLocal: false)["content-encoding"] != nil }
        for path in ConformanceOrigin.cachedPaths {
            let request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: path)
            let connection = ConnectionInfo(port: server.port, isLocal: false)
            if case .waiting(let rest) = server.responder.begin(request, on: connection) { _ = await rest(.none) }
        }
    }

    private static func values(_ server: ConformanceServer) throws -> [String: String] {
        var values = ["tag": try server.fields("/shop/digits.bin")[.eTag]]
        values["dictionary"] = dictionary
        values["script-tag"] = try server.fields("/shop/app.js")[.eTag]
        for coding in codings {
            values["\(coding)-tag"] = try server.fields(ofScriptIn: coding)[.eTag]
        }
        for (name, seconds) in [("modified", 0.0), ("earlier", -1), ("later", 1)] {
            values[name] = HTTPDate(modified.addingTimeInterval(seconds))?.fieldValue
        }
        values["modified-850"] = obsolete(modified, "EEEE, dd-MMM-yy HH:mm:ss 'GMT'")
        values["modified-asctime"] = obsolete(modified, "EEE MMM d HH:mm:ss yyyy")
        return values.compactMapValues(\.self)
    }

    /// One of the obsolete forms (RFC 9110 §5.6.7). The day of ``modified`` has two digits.
    private static func obsolete(_ date: Date, _ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter.string(from: date)
    }
}

extension ConformanceServer {
    fileprivate func fields(ofScriptIn coding: String) throws -> HTTPFields {
        try fields("/shop/app.js", [.acceptEncoding: coding])
    }

    /// The fields of the response to a client elsewhere whose GET needs no waiting.
    fileprivate func fields(_ path: String, _ fields: HTTPFields = [:]) throws -> HTTPFields {
        var request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: path)
        request.headerFields = fields
        let connection = ConnectionInfo(port: port, isLocal: false)
        guard case .complete(let response, _, _) = responder.begin(request, on: connection) else {
            throw BundleError(.invalidArgument, "\(path) has to be waited for")
        }
        return response.head.headerFields
    }
}

/// Runs the servers for as long as a suite's tests run.
struct ConformanceTrait: SuiteTrait, TestScoping {
    let configure: ConformanceServer.Configure

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ConformanceServers.run(configure, function)
    }
}

extension Trait where Self == ConformanceTrait {
    /// Servers that a suite's tests have in common.
    static func conformanceServers(
        _ configure: @escaping ConformanceServer.Configure = { _ in }
    ) -> ConformanceTrait {
        ConformanceTrait(configure: configure)
    }
}
