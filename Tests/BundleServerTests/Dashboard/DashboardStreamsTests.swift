import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import ServiceLifecycle
import Synchronization
import Testing

@testable import BundleServer

@Suite("The event streams of dashboards")
struct DashboardStreamsTests {
    @Test func `tell the state at once and after an action, and end with the server`() async throws {
        try await withStore { store in
            for version in ["1.0.0", "1.1.0"] { try store.installShop(version, script: version) }
            try await withDashboard(store) { dashboard async throws in
                try await withRawConnection(to: dashboard.port) { connection async throws in
                    let fields = ["GET /api/events HTTP/1.1", "Host: localhost"] + dashboard.own
                    try await connection.send(fields.joined(separator: "\r\n") + "\r\n\r\n")
                    let head = try await connection.head()
                    #expect(head.status == 200)
                    #expect(head["content-type"] == "text/event-stream")
                    #expect(try await connection.event().contains(#""active":"1.1.0""#))
                    #expect(try await dashboard.act("rollback").status == 200)
                    // What is counted meanwhile is an event too.
                    while try await !connection.event().contains(#""active":"1.0.0""#) {}
                    // By another process, as it were.
                    try store.activate(BundleName("shop"), BundleVersion("1.1.0"))
                    while try await !connection.event().contains(#""active":"1.1.0""#) {}
                    await dashboard.endpoint.group.triggerGracefulShutdown()
                    while try await !connection.chunk().isEmpty {}
                }
            }
        }
    }

    @Test func `are 16 at most: one more is refused and takes none away, and one that is closed makes room`()
        async throws
    {
        let token = AdminToken()
        let streams = DashboardStreams(DashboardSource { StreamEvent("{}") }, token: { token }, clock: TestClock())
        var all: [ServedResponse] = []
        for _ in 1...DashboardStreams.limits.count { all.append(await streams.open(from: nil)) }
        #expect(all.allSatisfy { $0.head.status == .ok })
        #expect(await streams.open(from: nil).head.status == .serviceUnavailable)
        all.removeLast()
        let last = await streams.open(from: nil)
        #expect(last.head.status == .ok)
        #expect(DashboardStreams.limits.count * 2 <= AdminListener.maximumConnectionCount)
        withExtendedLifetime((all, last)) {}
    }

    @Test func `get a comment now and then, and no state that they have had`() async throws {
        let clock = TestClock()
        let token = AdminToken()
        let streams = DashboardStreams(DashboardSource { StreamEvent("{}") }, token: { token }, clock: clock)
        let group = ServiceGroup(configuration: .init(services: [streams], logger: RecordedLog().logger))
        let running = Task { try await group.run() }
        let stream = await streams.open(from: nil)
        try await clock.waitForSleeps(1)
        for _ in 1...16 { try await clock.step(by: DashboardStreams.interval) }
        await group.triggerGracefulShutdown()
        try await running.value
        let text = String(decoding: try await stream.bytes(), as: UTF8.self)
        #expect(text.components(separatedBy: "data: {}").count == 2)
        #expect(text.hasSuffix(":\n\n"))
        #expect(await streams.open(from: nil).head.status == .serviceUnavailable)
    }

    @Test func `end when another token counts`() async throws {
        let clock = TestClock()
        let token = Mutex(AdminToken())
        let streams = DashboardStreams(
            DashboardSource { StreamEvent("{}") },
            token: { token.withLock(\.self) },
            clock: clock
        )
        let group = ServiceGroup(configuration: .init(services: [streams], logger: RecordedLog().logger))
        let running = Task { try await group.run() }
        let stream = await streams.open(from: nil)
        try await clock.waitForSleeps(1)
        try await clock.step(by: DashboardStreams.interval)
        token.withLock { $0 = AdminToken() }
        try await clock.step(by: DashboardStreams.interval)
        // It ends, though the service goes on.
        let text = String(decoding: try await stream.bytes(), as: UTF8.self)
        #expect(text.contains("data: {}"))
        #expect(await streams.open(from: nil).head.status == .ok)
        await group.triggerGracefulShutdown()
        try await running.value
    }
}
