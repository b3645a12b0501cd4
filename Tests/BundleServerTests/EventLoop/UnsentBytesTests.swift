#if os(Linux)
    import BundleStore
    import BundleTesting
    import Glibc
    import Testing

    @testable import BundleServer

    @Suite("The unsent bytes of a connection")
    struct UnsentBytesTests {
        @Test("are limited in the system's buffer, so that the server sends a long response and not the client's reads")
        func limited() async throws {
            try await withStore { store in
                try store.installBig([UInt8](repeating: 1, count: 8 << 20), "1.0.0")
                try await withEndpoint(store) { endpoint in
                    try await withRawConnection(to: endpoint.port) { client in
                        try await client.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        #expect(try await client.head().status == 200)
                        let sockets = (0..<1_024).filter { Self.isConnection($0, ofServerAt: UInt16(endpoint.port)) }
                        #expect(sockets.map(Self.limit) == [64 << 10])
                        try await client.skip(8 << 20)
                    }
                }
            }
        }

        private static func isConnection(_ socket: Int32, ofServerAt port: UInt16) -> Bool {
            var (own, peer) = (sockaddr_in(), sockaddr_in())
            return address(&own) { getsockname(socket, $0, $1) } && address(&peer) { getpeername(socket, $0, $1) }
                && UInt16(bigEndian: own.sin_port) == port
        }

        private static func address(
            _ address: inout sockaddr_in,
            _ get: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
        ) -> Bool {
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            return withUnsafeMutableBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { get($0.baseAddress!, &size) == 0 }
            }
        }

        private static func limit(of socket: Int32) -> Int32 {
            var (limit, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
            getsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &limit, &size)
            return limit
        }
    }
#endif
