import BundleNetwork
import BundleTesting
import BundleTransport
import OfflineBundles
import Testing

/// The transports that have to do what ``/BundleNetwork/OriginTransport`` says.
enum TransportKind: String, CaseIterable, CustomTestStringConvertible {
    case nio = "NIOTransport"
    case urlSession = "URLSessionTransport"

    var testDescription: String { rawValue }

    /// Whether it keeps a promise. Where it doesn't, the tests check what it does instead.
    func keeps(_ promise: TransportPromise) -> Bool {
        self == .nio || promise.urlSessionReason == nil
    }

    /// Lends a transport.
    func withTransport<Result>(
        firstByte: Duration = .seconds(30),
        silence: Duration = .seconds(30),
        _ body: (any OriginTransport) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .urlSession:
            return try await body(
                URLSessionTransport(firstByteTimeout: firstByte, silenceTimeout: silence, maximumConnectionsPerHost: 64)
            )
        case .nio:
            let transport = NIOTransport(firstByteTimeout: firstByte, silenceTimeout: silence)
            return try await BundleTesting.withTransport(transport) { try await body($0) }
        }
    }

    /// Lends an origin, and a transport to it.
    func withOrigin(_ body: (OriginServer, any OriginTransport) async throws -> Void) async throws {
        try await withTransport { transport in
            try await withOriginServer { origin in try await body(origin, transport) }
        }
    }
}
