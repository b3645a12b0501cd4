import BundleTesting
import Testing

@testable import BundleServer

@Suite("Service manager")
struct ServiceManagerTests {
    @Test("a state is sent to the socket that the manager named, and a missing socket is ignored")
    func notified() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "notify")
            let manager = try #require(ServiceManager(["NOTIFY_SOCKET": path]))
            manager.notify("READY=1")
            let socket = try NotificationSocket(at: path)
            manager.notify("STOPPING=1")
            #expect(try await socket.next() == "STOPPING=1")
        }
    }

    @Test(
        "without a valid socket name nothing is sent",
        arguments: [nil, "", "/", "relative", String(repeating: "/x", count: 100)]
    )
    func absent(_ name: String?) {
        #expect(ServiceManager(name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
    }

    @Test(
        "watches the process that its variables name",
        arguments: [
            ("30000000", nil, .seconds(30)), ("30000000", "7", .seconds(30)),
            ("1500", "7", .microseconds(1_500)),
            ("30000000", "8", nil), ("0", nil, nil), ("-1", nil, nil), ("30s", nil, nil), ("", nil, nil),
            (nil, "7", nil),
        ] as [(String?, String?, Duration?)]
    )
    func watchdog(_ interval: String?, _ process: String?, _ expected: Duration?) throws {
        var environment = ["NOTIFY_SOCKET": "/notify"]
        environment["WATCHDOG_USEC"] = interval
        environment["WATCHDOG_PID"] = process
        #expect(try #require(ServiceManager(environment, processID: 7)).watchdogInterval == expected)
    }
}
