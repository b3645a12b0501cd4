import BundleModel
import BundleTesting
import Testing

@testable import ServerCore

@Suite("Whether a server could listen at an address")
struct ListenAddressObstacleTests {
    @Test("is found out without leaving anything there")
    func free() async throws {
        try await withTemporaryDirectory { directory async throws in
            let addresses: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 0), .unix(path: directory.path(of: "s"))]
            for address in addresses { #expect(address.obstacle(.listenAddress) == nil) }
            #expect(try TreeSnapshot(of: directory.path).entries.isEmpty)
        }
    }

    @Test("fails where one listens, or something else is")
    func taken() async throws {
        try await withTemporaryDirectory { directory async throws in
            let path = try directory.write("text", to: "file")
            #expect(ListenAddress.unix(path: path).obstacle(.listenAddress) != nil)
            #expect(ListenAddress.unix(path: directory.path(of: "missing/s")).obstacle(.listenAddress) != nil)
            let sockets = try ListeningSocket.open(.tcp(host: "127.0.0.1", port: 0))
            defer { for socket in sockets { socket.close() } }
            let url = try #require(sockets.first?.url())
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            #expect(ListenAddress.tcp(host: "127.0.0.1", port: port).obstacle(.listenAddress) != nil)
        }
    }
}
