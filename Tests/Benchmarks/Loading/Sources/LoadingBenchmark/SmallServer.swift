import Foundation

/// An HTTP server on this machine that sends one response to every request, on a thread for each connection.
final class SmallServer: Sendable {
    private let port: UInt16
    private let listener: Int32

    var url: String { "http://127.0.0.1:\(port)/" }

    /// - Parameter delay: The time until the response, in milliseconds.
    init(_ response: [UInt8], delay: Int) throws {
        #if canImport(Darwin)
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, size) = (listener, length)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.featureUnsupported) }
        port = UInt16(bigEndian: address.sin_port)
        Thread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread { Self.serve(client, response, delay) }.start()
            }
        }.start()
    }

    private static func serve(_ client: Int32, _ response: [UInt8], _ delay: Int) {
        var (buffer, received) = ([UInt8](repeating: 0, count: 16_384), [UInt8]())
        while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
            received += buffer[..<count]
            guard received.suffix(4).elementsEqual([13, 10, 13, 10]) else { continue }
            received = []
            if delay > 0 { usleep(UInt32(delay) * 1_000) }
            _ = send(client, response, response.count, 0)
        }
        close(client)
    }
}
