import BundleNetwork
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Logging
import ServiceLifecycle

@testable import BundleServer
@testable import BundleUpdate
@testable import HTTPCore

/// An endpoint that is listening on 127.0.0.1.
struct RunningEndpoint: Sendable {
    let url: String
    let group: ServiceGroup
    /// The URL of the dashboard, once it is known.
    let dashboard: Monitor<String?>

    var port: Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Sends one GET on a connection of its own.
    func get(_ path: String, host: String = "localhost", _ fields: [String] = []) async throws -> RawResponse {
        try await withRawConnection(to: port) { try await $0.get(path, host: host, fields) }
    }

    /// Sends one request without content on a connection of its own.
    func request(_ line: String, _ fields: [String]) async throws -> RawResponse {
        try await withRawConnection(to: port) { try await $0.request(line, fields) }
    }
}

/// A network without any origin.
struct UnreachableNetwork: OriginTransport {
    func send(_ call: OriginCall) async throws -> OriginResponse {
        throw BundleError(.networkUnavailable, "there is no network in this test")
    }
}

/// Serves a store, passes the endpoint to `body`, and shuts it down gracefully in any case.
func withEndpoint(
    _ store: BundleStore,
    transport: any OriginTransport = UnreachableNetwork(),
    updater: Updater? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() },
    log: RecordedLog = RecordedLog(),
    configure: (inout BundleEndpoint.Configuration) -> Void = { _ in },
    _ body: (RunningEndpoint) async throws -> Void
) async throws {
    var configuration = BundleEndpoint.Configuration()
    configuration.address = .tcp(host: "127.0.0.1", port: 0)
    configuration.drainLimit = .seconds(300)
    configure(&configuration)
    let endpoint = BundleEndpoint(
        store,
        configuration: configuration,
        transport: transport,
        updater: updater,
        logger: log.logger,
        clock: clock,
        now: now
    )
    let ready = Monitor<String?>(nil)
    let dashboard = Monitor<String?>(nil)
    let group = try await endpoint.serviceGroup(onDashboard: { url in dashboard.update { $0 = url } }) { url in
        ready.update { $0 = url }
    }
    let running = Task { try await group.run() }
    do {
        let url = try await ready.wait(for: "the endpoint", deadline: .seconds(30)) { $0 }
        try await body(RunningEndpoint(url: url, group: group, dashboard: dashboard))
    } catch {
        await group.triggerGracefulShutdown()
        _ = await running.result
        throw error
    }
    await group.triggerGracefulShutdown()
    try await running.value
}

/// Serves the sample shop, and passes a connection to it to `body`.
func withShopConnection(_ body: (RawConnection) async throws -> Void) async throws {
    try await withStore { store in
        try store.installShop()
        try await withEndpoint(store) { endpoint in
            try await withRawConnection(to: endpoint.port) { try await body($0) }
        }
    }
}
