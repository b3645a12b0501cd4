import BundleInstall
import BundleNetwork
import BundleServing
import BundleStore
import BundleTar
import BundleTesting
import Foundation
import Testing

@testable import BundleServer
@testable import BundleUpdate

/// The dashboard of an endpoint, as its page uses it.
struct RunningDashboard {
    let endpoint: RunningEndpoint
    let port: Int
    let token: String

    /// The fields of the page's own requests.
    var own: [String] { ["Authorization: Bearer \(token)", "Sec-Fetch-Site: same-origin"] }

    func get(_ path: String, host: String = "localhost", _ fields: [String]? = nil) async throws -> RawResponse {
        try await withRawConnection(to: port) { try await $0.get(path, host: host, fields ?? own) }
    }

    /// What is shown.
    func state() async throws -> AnyJSON { try await Self.json(get("/api/state")) }

    /// What is shown of the first bundle.
    func bundle() async throws -> AnyJSON { try #require(try await state()["bundles"]?.array?.first) }

    /// Carries out an action.
    func act(_ action: String, _ content: String = "{}", of name: String = "shop") async throws -> RawResponse {
        try await post("/api/bundles/\(name)/\(action)", own + ["Content-Type: application/json"], content)
    }

    func post(_ path: String, _ fields: [String], _ content: String) async throws -> RawResponse {
        try await withRawConnection(to: port) { connection async throws in
            let lines = ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(content.utf8.count)"] + fields
            try await connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + content)
            return try await connection.response()
        }
    }

    static func json(_ response: RawResponse) throws -> AnyJSON {
        #expect(response["content-type"] == "application/json")
        #expect(response["cache-control"] == "no-store")
        return try JSONDecoder().decode(AnyJSON.self, from: Data(response.body))
    }
}

/// Serves a store with a dashboard.
///
/// - Parameter feeds: The network of updates; nil for a server that updates nothing.
func withDashboard(
    _ store: BundleStore,
    feeds: ScriptedFeeds? = nil,
    log: RecordedLog = RecordedLog(),
    configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
    _ body: (RunningDashboard) async throws -> Void
) async throws {
    let updater = feeds.map { feeds in
        let installer = Installer(store, formats: .zipAndTar)
        var configuration = Updater.Configuration()
        configuration.isScheduled = true
        return Updater(store, installer: installer, transport: feeds, configuration: configuration)
    }
    try await withEndpoint(
        store,
        updater: updater,
        log: log,
        configure: { configuration in
            configuration.admin = .tcp(host: "127.0.0.1", port: 0)
            configure(&configuration)
        }
    ) { endpoint in
        let url = try await endpoint.dashboard.wait(for: "the dashboard", deadline: .seconds(30)) { $0 }
        let match = try #require(try ##/http://127\.0\.0\.1:(\d+)/#token=(\S+)/##.wholeMatch(in: url))
        try await body(
            RunningDashboard(endpoint: endpoint, port: try #require(Int(match.1)), token: String(match.2))
        )
    }
}
