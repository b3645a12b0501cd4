import BundleStore
import BundleTesting
import Foundation
import NIOCore
import Testing

@testable import ServerCore

@Suite("ListeningSocket")
struct ListeningSocketTests {
    @Test(
        "port 0 picks a free port, which is reported, and refused to a second listener",
        arguments: ["127.0.0.1", "localhost"]
    )
    func freePort(_ host: String) throws {
        let sockets = try ListeningSocket.open(.tcp(host: host, port: 0))
        let first = try #require(sockets.first)
        guard case .tcp(let bound, let port) = first.address else {
            Issue.record("\(first.address)")
            return
        }
        #expect(port > 0)
        #expect(first.url() == "http://\(ListenAddress.tcp(host: bound, port: port))")
        try Self.expectConnection(to: SocketAddress(ipAddress: bound, port: port))
        #expect(Self.refusal(.tcp(host: bound, port: port)) == "address in use; choose another port")
        first.close()
        for socket in try ListeningSocket.open(.tcp(host: bound, port: port)) { socket.close() }
    }

    @Test("a socket is non-blocking and closed on exec")
    func flags() throws {
        let socket = try #require(try ListeningSocket.open(.tcp(host: "127.0.0.1", port: 0)).first)
        #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("an address of another machine is refused")
    func foreignAddress() {
        // TEST-NET-1 (RFC 5737).
        let text = Self.refusal(.tcp(host: "192.0.2.1", port: 0))
        #expect(text == "this machine has no such address; choose another host")
    }

    @Test("a Unix socket has the requested mode, and its file is removed with it")
    func unixSocket() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "a.sock")
            let socket = try #require(
                try ListeningSocket.open(.unix(path: path), mode: SocketMode(0o620)).first
            )
            #expect(socket.url() == "unix:\(path)")
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o620)
            try Self.expectConnection(to: SocketAddress(unixDomainSocketPath: path))
            socket.close()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("the socket of a server that died is replaced, that of a running one isn't")
    func staleSocket() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "a.sock")
            let dead = try StreamSocket(.unix)
            try dead.assign(SocketAddress(unixDomainSocketPath: path))
            dead.discard()
            let socket = try #require(try ListeningSocket.open(.unix(path: path)).first)
            try Self.expectConnection(to: SocketAddress(unixDomainSocketPath: path))
            let text = "address in use; end the server that listens there, or choose another path"
            #expect(Self.refusal(.unix(path: path)) == text)
            socket.close()
        }
    }

    @Test("a file that has replaced a socket's is kept")
    func replacedSocket() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "a.sock")
            let first = try #require(try ListeningSocket.open(.unix(path: path)).first)
            try FileManager.default.removeItem(atPath: path)
            let second = try #require(try ListeningSocket.open(.unix(path: path)).first)
            first.close()
            try Self.expectConnection(to: SocketAddress(unixDomainSocketPath: path))
            second.close()
        }
    }

    @Test("a file that isn't a socket is left alone")
    func otherFile() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "file")
            try Data("precious".utf8).write(to: URL(filePath: path))
            let text = "a file that isn't a socket is there; choose another path"
            #expect(Self.refusal(.unix(path: path)) == text)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
            let absent = Self.refusal(.unix(path: folder.path(of: "no/a.sock")))
            #expect(absent == "there is no such folder; make it, or choose another path")
        }
    }

    private static func refusal(_ address: ListenAddress) -> String? {
        do {
            for socket in try ListeningSocket.open(address) { socket.close() }
            return nil
        } catch {
            let prefix = "could not listen on \(address): "
            return error.message.hasPrefix(prefix) ? String(error.message.dropFirst(prefix.count)) : error.message
        }
    }

    private static func expectConnection(to address: SocketAddress) throws {
        let client = try StreamSocket(address.protocol)
        defer { client.discard() }
        // On a non-blocking socket, a TCP connection may still be in progress when connect(2) returns.
        #expect([0, EINPROGRESS].contains(client.reach(address)))
    }
}
