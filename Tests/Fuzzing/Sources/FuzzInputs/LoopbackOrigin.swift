import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A server on this machine that sends given bytes, valid or not, in response to a request, and a short response to
/// further requests. It serves one connection at a time, on a thread of its own.
final class LoopbackOrigin: Sendable {
    /// The response to further requests.
    static let last = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    /// How long an open connection waits for another request, in milliseconds.
    private static let patience: CInt = 20
    /// After this many pieces the rest is sent at once.
    private static let maximumPieceCount = 256

    private struct Script {
        var bytes: [UInt8] = []
        var pieceByteCount = 0
        var staysOpen = false
        var number: UInt32 = 0
        var isSent = false
    }

    private let script = Mutex(Script())
    private let listener: CInt
    private let port: UInt16

    /// Nil when the system has no socket for it.
    init?() {
        #if canImport(Glibc)
            listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard listener >= 0, let port = Self.bind(listener), listen(listener, 16) == 0 else { return nil }
        self.port = port
        Thread.detachNewThread { [self] in
            while true { serve() }
        }
    }

    /// Sends `bytes` in response to the next request.
    ///
    /// - Returns: The address, a new one each time, so that no earlier connection is used. Addresses are reused once
    ///   those are closed, because the HTTP client never forgets an address.
    func expect(_ bytes: [UInt8], pieceByteCount: Int, staysOpen: Bool) -> String {
        let number = script.withLock { script in
            script = Script(
                bytes: bytes,
                pieceByteCount: pieceByteCount,
                staysOpen: staysOpen,
                number: (script.number + 1) % 0xFFFE
            )
            return script.number + 1
        }
        return "127.\(number >> 16).\(number >> 8 & 255).\(number & 255):\(port)"
    }

    /// Listens on every address of the loopback interface, at a free port.
    private static func bind(_ listener: CInt) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                assign(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static func sendOnce(_ bytes: ArraySlice<UInt8>, to connection: CInt) -> Int {
        bytes.withUnsafeBytes { sendBytes(connection, $0) }
    }

    private func serve() {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        defer { close(connection) }
        var isOn: CInt = 1
        setsockopt(connection, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
        while receiveRequest(connection) {
            let (script, isFirst) = script.withLock { script in
                defer { script.isSent = true }
                return (script, !script.isSent)
            }
            guard isFirst else { return send(Array(Self.last.utf8), pieceByteCount: 0, to: connection) }
            send(script.bytes, pieceByteCount: script.pieceByteCount, to: connection)
            guard script.staysOpen, isReadable(connection) else { return }
        }
    }

    private func receiveRequest(_ connection: CInt) -> Bool {
        var request: [UInt8] = []
        while request.suffix(4) != [13, 10, 13, 10] {
            var part = [UInt8](repeating: 0, count: 4_096)
            let count = recv(connection, &part, part.count, 0)
            guard count > 0 else { return false }
            request += part.prefix(count)
        }
        return true
    }

    private func isReadable(_ connection: CInt) -> Bool {
        var event = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, Self.patience) > 0
    }

    private func send(_ bytes: [UInt8], pieceByteCount: Int, to connection: CInt) {
        var rest = bytes[...]
        var pieceCount = 0
        while !rest.isEmpty {
            let isWhole = pieceByteCount == 0 || pieceCount >= Self.maximumPieceCount
            let count = Self.sendOnce(isWhole ? rest : rest.prefix(pieceByteCount), to: connection)
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
            pieceCount += 1
        }
    }
}

// Calls the system's functions, which have the names of methods of the class.

private func assign(_ socket: CInt, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> CInt {
    bind(socket, address, size)
}

/// Sends without SIGPIPE, which would end the process.
private func sendBytes(_ socket: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
        send(socket, bytes.baseAddress, bytes.count, 0)
    #else
        send(socket, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    #endif
}
