import BundleServing
import NIOCore
import Testing

@testable import ServerCore

@Suite("InheritedSockets")
struct InheritedSocketsTests {
    @Test("a listening socket is found by its position or by its name")
    func taken() throws {
        let listening = try Self.listeningSocket()
        defer { listening.discard() }
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "web"]
        let sockets = InheritedSockets(environment, process: 7, first: listening.descriptor)
        for name in [nil, "web"] {
            let opened = try sockets.open(name)
            #expect(opened.map { $0.localAddress } == [listening.localAddress])
            #expect(opened.allSatisfy { $0.descriptor != listening.descriptor && $0.isListening })
            for socket in opened { socket.discard() }
        }
        #expect(throws: InheritedSockets.Absence.self) { try sockets.open("admin") }
    }

    @Test(
        "sockets for another process are ignored",
        arguments: [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "8", "LISTEN_FDS": "1"], ["LISTEN_PID": "7", "LISTEN_FDS": "0"],
            ["LISTEN_PID": "7", "LISTEN_FDS": "-1"], ["LISTEN_PID": "7", "LISTEN_FDS": "2147483647"],
            ["LISTEN_PID": "7", "LISTEN_FDS": "one"],
        ]
    )
    func none(_ environment: [String: String]) throws {
        #expect(throws: InheritedSockets.Absence.self) {
            try InheritedSockets(environment, process: 7, first: 3).open(nil)
        }
    }

    @Test("a socket that doesn't listen is refused")
    func notListening() throws {
        let socket = try StreamSocket(.inet)
        defer { socket.discard() }
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "1"]
        #expect(throws: InheritedSockets.Absence.self) {
            try InheritedSockets(environment, process: 7, first: socket.descriptor).open(nil)
        }
    }

    private static func listeningSocket() throws -> StreamSocket {
        let socket = try StreamSocket(.inet)
        try socket.assign(SocketAddress(ipAddress: "127.0.0.1", port: 0))
        try socket.startListening()
        return socket
    }
}
