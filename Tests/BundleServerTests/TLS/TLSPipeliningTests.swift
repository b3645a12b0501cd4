import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

/// Many requests in one go over TLS.
@Suite("Pipelined requests over TLS", .timeLimit(.minutes(5)))
struct TLSPipeliningTests {
    /// How the client ends.
    enum Ending: CaseIterable {
        /// The last request says so.
        case closeField
        /// It ends its side behind the last request.
        case halfClose
        /// It asks on.
        case none
    }

    /// Lengths of files: some go out with their heads, the others as the client takes them.
    private static let lengths = [0, 1, 1 << 10, 60 << 10, 100 << 10, 300 << 10, 3 << 20]
    /// Which of them are asked for, one after the other.
    private static let cycle = [2, 4, 4, 5, 6, 1, 2, 5, 0, 3, 3, 6, 4, 2, 2, 5, 5, 1]
    private static let repetitions = 3

    private static func file(_ index: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "a") + UInt8(index), count: lengths[index])
    }

    @Test(
        "are responded to completely and in order, whatever their lengths, and whenever the client reads",
        arguments: Ending.allCases,
        [false, true]
    )
    func order(_ ending: Ending, _ readsLate: Bool) async throws {
        try await withFiles { endpoint in
            try await withRawConnection(to: endpoint.port, offering: "http/1.1") { connection in
                let indices = Array(repeatElement(Self.cycle, count: Self.repetitions).joined())
                var requests = indices.map { "GET /shop/\($0).bin HTTP/1.1\r\nHost: localhost\r\n\r\n" }
                if ending == .closeField {
                    requests[requests.count - 1] = requests[requests.count - 1].replacing(
                        "\r\n\r\n",
                        with: "\r\nConnection: close\r\n\r\n"
                    )
                }
                try await connection.send(requests.joined())
                if ending == .halfClose { connection.finish() }
                // The server has begun, and waits for the client to take it.
                for _ in 0..<(readsLate ? 16 : 0) { #expect(try await endpoint.get(2) == Self.file(2)) }
                for (number, index) in indices.enumerated() {
                    let response = try await connection.response()
                    let isLast = number == indices.count - 1 && ending == .closeField
                    #expect(response["connection"] == (isLast ? "close" : nil))
                    guard response.body == Self.file(index) else {
                        Issue.record("response \(number) isn't \(index).bin")
                        return
                    }
                }
                if ending == .none {
                    #expect(try await connection.get("/shop/2.bin").body == Self.file(2))
                } else {
                    #expect(try await connection.rest().isEmpty)
                }
            }
        }
    }

    private func withFiles(_ body: (RunningEndpoint) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("pipelining", in: folder)
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            let files = Self.lengths.indices.map { ("\($0).bin", Self.file($0)) }
            try store.install(
                #"{"name": "shop", "version": "1.0.0", "origins": []}"#,
                Dictionary(uniqueKeysWithValues: files)
            )
            try await withEndpoint(
                store,
                configure: { $0.tls = TLSFiles(certificate: certificate.certificate, key: certificate.key) },
                body
            )
        }
    }
}

extension RunningEndpoint {
    /// Sends one GET on a connection of its own.
    fileprivate func get(_ index: Int) async throws -> [UInt8] {
        try await withRawConnection(to: port, offering: "http/1.1") { try await $0.get("/shop/\(index).bin").body }
    }
}
