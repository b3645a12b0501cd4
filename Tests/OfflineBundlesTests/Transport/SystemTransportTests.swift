import BundleTesting
import BundleTransport
import Testing

@testable import OfflineBundles

/// What Foundation's `URLSession` ends the process for on Linux. The package as it is on Apple's systems has no other network.
@Suite(
    "A client on Linux that is given no transport",
    .enabled(if: BundleClient.systemTransport() is NIOTransport),
    .timeLimit(.minutes(5))
)
struct SystemTransportTests {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(
        "has an error for a broken head and for broken trailers, and goes on",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Le", "SSH-2.0-OpenSSH_9.2\r\n", "", "\(chunked)1\r\na\r\n0\r\nX-S",
            "\(chunked)1\r\na\r\n0\r\nContent-Length: 1\r\n\r\n",
        ]
    )
    func broken(_ reply: String) async throws {
        let replies = [reply, "\(Self.chunked)1\r\na\r\n0\r\nX-Sum: 2\r\n\r\n"]
        try await withTemporaryDirectory { folder in
            try await withRawOrigin({ .init(replies[min($0, 1)].utf8) }) { origin in
                var configuration = BundleClient.Configuration()
                (configuration.coversAllOrigins, configuration.survivesFaults) = (true, false)
                configuration.retries = .none
                let client = try BundleClient(at: folder.path(of: "store"), configuration: configuration)
                let url = "http://\(origin.authority)/"
                await #expect(throws: BundleError.self) { try await client.load(url).bytes() }
                #expect(try await client.load(url).bytes() == Array("a".utf8))
                client.close()
            }
        }
    }
}
