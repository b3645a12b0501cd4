#if os(Linux)
    import BundleStore
    import BundleTesting
    import Foundation
    import Testing

    @testable import BundleServer

    @Suite("The access log of a loop")
    struct LoopRecordTests {
        private static let byteCount = 32 << 20

        @Test("has the bytes that were sent when a client disconnects during a response")
        func abandoned() async throws {
            let entry = try await log(writeStall: .milliseconds(200)) { endpoint in
                let client = try SilentClient(port: endpoint.port)
                try client.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                // It never reads, and is disconnected.
                #expect(await client.isReset)
            }
            #expect(entry.status == 200)
            #expect(entry.bytes > 0 && entry.bytes < Self.byteCount)
        }

        @Test("has all bytes when the client is slow")
        func taken() async throws {
            let entry = try await log { endpoint in
                try await withRawConnection(to: endpoint.port) { connection in
                    try await connection.send("GET /big/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try await connection.head().status == 200)
                    try await connection.skip(Self.byteCount)
                }
            }
            #expect(entry.status == 200)
            #expect(entry.bytes == Self.byteCount)
        }

        private struct Entry: Decodable {
            let status: Int
            let bytes: Int
        }

        /// The only line at the end.
        private func log(
            writeStall: Duration = .seconds(30),
            _ body: (RunningEndpoint) async throws -> Void
        ) async throws -> Entry {
            try await withTemporaryDirectory { folder in
                let path = folder.path(of: "access.log")
                try await withStore { store in
                    try store.installBig([UInt8](repeating: 7, count: Self.byteCount), "1.0.0")
                    try await withEndpoint(
                        store,
                        configure: {
                            $0.accessLogPath = path
                            $0.accessLogFormat = .json
                            $0.limits.writeStall = writeStall
                        },
                        body
                    )
                }
                return try JSONDecoder().decode(Entry.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
            }
        }
    }
#endif
