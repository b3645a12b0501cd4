import BundleStore
import BundleTesting
import NIOCore
import Testing

@testable import BundleServer

/// The responses that a client has requested and doesn't take yet.
@Suite("Pipelined requests")
struct PipeliningTests {
    /// Lengths of files that are copied next to their heads, and of some that aren't.
    private static let lengths = [1 << 10, 4 << 10, 7 << 10, 60 << 10, 300 << 10]

    private static func file(_ index: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "a") + UInt8(index), count: lengths[index])
    }

    private static func get(_ index: Int) -> String {
        "GET /shop/\(index).bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    @Test(
        "get their responses on their connection, in order, however late these are taken",
        arguments: [[0], [2], [0, 3], [0, 1, 2, 3, 4]]
    )
    func order(_ cycle: [Int]) async throws {
        let cycleByteCount = cycle.map { Self.lengths[$0] }.reduce(0, +)
        // More than the system buffers for a client that doesn't read.
        let repetitions = (12 << 20) / cycleByteCount
        try await withFiles { endpoint in
            try await withRawConnection(to: endpoint.port) { connection in
                let output = connection.output
                let requests = String(repeating: cycle.map(Self.get).joined(), count: repetitions)
                let sending = Task { try await output.write(.init(string: requests)) }
                // Enough of them that each loop has some.
                for _ in 0..<16 { #expect(try await endpoint.get("/shop/1.bin").body == Self.file(1)) }
                for _ in 0..<repetitions {
                    for index in cycle {
                        let body = try await connection.response().body
                        guard body == Self.file(index) else {
                            Issue.record("another file came than \(index).bin")
                            return
                        }
                    }
                }
                try await sending.value
            }
        }
    }

    private func withFiles(_ body: (RunningEndpoint) async throws -> Void) async throws {
        try await withStore { store in
            let files = Self.lengths.indices.map { ("\($0).bin", Self.file($0)) }
            try store.install(
                #"{"name": "shop", "version": "1.0.0", "origins": []}"#,
                Dictionary(uniqueKeysWithValues: files)
            )
            try await withEndpoint(store, body)
        }
    }
}
