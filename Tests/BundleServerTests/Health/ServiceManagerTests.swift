import BundleTesting
import Foundation
import NIOCore
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
            let inbox = socket(AF_UNIX, Self.datagram, 0)
            defer { close(inbox) }
            let address = try SocketAddress(unixDomainSocketPath: path)
            try #require(address.withSockAddr { bind(inbox, $0, socklen_t($1)) } == 0)
            manager.notify("STOPPING=1")
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = recv(inbox, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "STOPPING=1")
        }
    }

    @Test(
        "without a valid socket name nothing is sent",
        arguments: [nil, "", "/", "relative", String(repeating: "/x", count: 100)]
    )
    func absent(_ name: String?) {
        #expect(ServiceManager(name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
    }

    #if canImport(Glibc)
        private static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
        private static let datagram = SOCK_DGRAM
    #endif
}
