import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The origin's side of a connection.
package struct Peer {
    /// How many connections came before.
    package let number: Int
    package let raw: RawConnection
    private let channel: any Channel

    init(_ number: Int, _ raw: RawConnection, _ channel: any Channel) {
        self.number = number
        self.raw = raw
        self.channel = channel
    }

    /// Reads the head of a request.
    package func head() async throws -> RawResponse { try await raw.head() }

    /// Reads a request with its content.
    package func request() async throws -> RawResponse {
        let head = try await raw.head()
        guard head["transfer-encoding"] == nil else {
            var request = head
            while let size = Int(try await line(), radix: 16), size > 0 {
                request.body += try await raw.bytes(size)
                _ = try await line()
            }
            while try await !line().isEmpty {}
            return request
        }
        var request = head
        request.body = try await raw.bytes(head["content-length"].flatMap { Int($0) } ?? 0)
        return request
    }

    /// Reads up to the end of a line.
    package func line() async throws -> String {
        var bytes: [UInt8] = []
        while !bytes.ends(with: [13, 10]) { bytes += try await raw.bytes(1) }
        return String(decoding: bytes.dropLast(2), as: UTF8.self)
    }

    package func send(_ text: String) async throws { try await raw.send(text) }

    /// Responds with a text.
    package func respond(_ text: String, _ fields: String = "") async throws {
        try await send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\(fields)\r\n\(text)")
    }

    /// Ends the connection with a reset instead of a regular end.
    package func reset() async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }

    /// Waits until the client has closed its side.
    package func waitForEnd() async { _ = try? await raw.rest() }
}

extension Array<UInt8> {
    fileprivate func ends(with suffix: [UInt8]) -> Bool { self.suffix(suffix.count).elementsEqual(suffix) }
}
