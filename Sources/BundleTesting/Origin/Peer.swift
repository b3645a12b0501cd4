import Crypto
import Foundation
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

/// The origin's side of a WebSocket connection (RFC 6455): messages of one frame each. For use in one task.
package struct WebSocketPeer {
    /// What a frame has.
    package enum Message: Hashable, Sendable {
        case text(String)
        case binary([UInt8])
        /// The end, with its code; nil when none is given.
        case close(Int?)
        /// A frame of another kind, or a part of a message.
        case other(UInt8)
    }

    /// The request that the connection began with.
    package let request: RawResponse
    private let peer: Peer

    /// Reads the handshake, and accepts it (RFC 6455 §4.2.2).
    package init(accepting peer: Peer) async throws {
        self.peer = peer
        request = try await peer.head()
        let key = (request["sec-websocket-key"] ?? "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        let accepted = Data(Insecure.SHA1.hash(data: Data(key.utf8))).base64EncodedString()
        try await peer.send(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(accepted)\r\n\r\n"
        )
    }

    /// Reads a frame (RFC 6455 §5.2).
    package func receive() async throws -> Message {
        let start = try await peer.raw.bytes(2)
        let length = try await length(start[1] & 0x7f)
        let mask = start[1] & 0x80 == 0 ? [0, 0, 0, 0] : try await peer.raw.bytes(4)
        let content = try await peer.raw.bytes(length).enumerated().map { $1 ^ mask[$0 % 4] }
        switch start[0] {
        case 0x81: return .text(String(decoding: content, as: UTF8.self))
        case 0x82: return .binary(content)
        case 0x88: return .close(content.count < 2 ? nil : Int(content[0]) << 8 | Int(content[1]))
        default: return .other(start[0])
        }
    }

    /// Sends a message. An end is sent without a reason.
    package func send(_ message: Message) async throws {
        switch message {
        case .text(let text): try await send(0x81, Array(text.utf8))
        case .binary(let bytes): try await send(0x82, bytes)
        case .close(let code): try await send(0x88, code.map { [UInt8($0 >> 8 & 0xff), UInt8($0 & 0xff)] } ?? [])
        case .other(let kind): try await send(kind, [])
        }
    }

    /// Waits until the client has closed the connection.
    package func waitForEnd() async { await peer.waitForEnd() }

    private func length(_ short: UInt8) async throws -> Int {
        switch short {
        case 126: try await peer.raw.bytes(2).reduce(0) { $0 << 8 | Int($1) }
        // What tests send has fewer than 2^24 bytes.
        case 127: try await peer.raw.bytes(8).suffix(3).reduce(0) { $0 << 8 | Int($1) }
        default: Int(short)
        }
    }

    private func send(_ kind: UInt8, _ content: [UInt8]) async throws {
        var frame = [kind]
        // The length takes as few bytes as possible.
        switch content.count {
        case ..<126: frame.append(UInt8(content.count))
        case ..<65_536: frame += [126, UInt8(content.count >> 8), UInt8(content.count & 0xff)]
        default: frame += [127] + (0..<8).map { UInt8(truncatingIfNeeded: content.count >> (56 - 8 * $0)) }
        }
        try await peer.raw.send(frame + content)
    }
}
