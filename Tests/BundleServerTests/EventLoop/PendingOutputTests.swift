#if os(Linux)
    import BundleStore
    import BundleTesting
    import Glibc
    import SystemPackage
    import Testing

    @testable import ServerCore

    @Suite("Output that a socket hasn't taken yet")
    struct PendingOutputTests {
        @Test(
            "arrives complete and in order, however little the reader takes at a time",
            arguments: [10, 40_000, 3 << 20]
        )
        func whole(_ byteCount: Int) throws {
            try withSocketPair { writer, reader in
                let head = Array("head".utf8)
                let body = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 7) }
                var output = PendingOutput(head[...], body: ByteSlice(copying: body))
                let received = try drain(reader) { output.write(to: writer) }
                #expect(received == head + body)
            }
        }

        @Test("is sent from the file that contains the body")
        func file() async throws {
            try await withStore { store in
                let body = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 / 11) }
                try store.installBig(body, "1.0.0")
                let name = BundleName("big")
                let release = try #require(store.snapshot.bundles[name]?.active)
                let contents = try #require(release.asset(at: BundlePath("big.bin"))?.contents)
                #expect(contents.file != nil)
                try withSocketPair { writer, reader in
                    var output = PendingOutput(body: contents, from: 100)
                    let received = try drain(reader) { output.write(to: writer) }
                    #expect(received == Array(body[100...]))
                }
            }
        }

        @Test("that can't be sent is dropped")
        func gone() throws {
            try withSocketPair { writer, reader in
                shutdown(reader, Int32(SHUT_RDWR))
                var output = PendingOutput([1, 2, 3], body: nil)
                #expect(output.write(to: writer) == .failed)
            }
        }

        private func drain(_ reader: Int32, _ write: () -> PendingOutput.Outcome) throws -> [UInt8] {
            var received: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 30_000)
            var outcome = write()
            while true {
                let count = recv(reader, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { received += buffer[..<count] }
                if outcome == .done, count <= 0 { return received }
                if outcome != .done { outcome = write() }
                try #require(outcome != .failed)
            }
        }

        private func withSocketPair(_ body: (_ writer: Int32, _ reader: Int32) throws -> Void) throws {
            var ends: [Int32] = [0, 0]
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
            defer { for end in ends { close(end) } }
            try body(ends[0], ends[1])
        }
    }
#endif
