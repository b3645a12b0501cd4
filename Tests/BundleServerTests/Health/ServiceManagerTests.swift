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
            #expect(socket.next() == "STOPPING=1")
        }
    }

    @Test(
        "without a valid socket name nothing is sent",
        arguments: [nil, "", "/", "relative", String(repeating: "/x", count: 100)]
    )
    func absent(_ name: String?) {
        #expect(ServiceManager(name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
    }
}
