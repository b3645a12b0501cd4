import HTTPCore
import NIOCore
import NIOPosix

/// Finds or makes a connection for each request.
final class TransportClient: Sendable {
    let limits: TransportLimits
    let pool: ConnectionPool
    private let network: OriginNetwork
    private let tls: TLSClient

    init(_ limits: TransportLimits, network: OriginNetwork, tls: TLSClient) {
        self.limits = limits
        self.network = network
        self.tls = tls
        pool = ConnectionPool(limits)
    }

    deinit {
        Task { [pool] in await pool.shutDown() }
    }

    /// Sends a request and waits for the head of its response.
    ///
    /// - Throws: ``ExchangeFailure``, ``ConnectionProblem``, what ``OriginNetwork/addresses(for:within:)`` throws,
    ///   and errors of NIO.
    func send(_ request: EncodedRequest, to key: ConnectionKey) async throws -> (ResponseHead, PendingResponse) {
        // A task that runs on an event loop gets its response on the same thread.
        let loop = MultiThreadedEventLoopGroup.currentEventLoop
        var isNew = false
        while true {
            let (connection, isKept) = try await connection(for: key, on: loop, isNew: isNew)
            let response = PendingResponse(on: connection)
            do {
                return (try await response.head(of: request), response)
            } catch let failure as ExchangeFailure where isKept && request.canBeRepeated(after: failure) {
                isNew = true
            }
        }
    }

    private func connection(
        for key: ConnectionKey,
        on loop: (any EventLoop)?,
        isNew: Bool
    ) async throws -> (ClientConnection, isKept: Bool) {
        while true {
            switch try await pool.place(for: key, on: loop, isNew: isNew) {
            case .new: return (try await open(key, on: loop ?? MultiThreadedEventLoopGroup.singleton.any()), false)
            case .kept(let connection) where network.admits(connection): return (connection, true)
            case .kept(let connection): connection.closeNow()
            }
        }
    }

    private func open(_ key: ConnectionKey, on loop: any EventLoop) async throws -> ClientConnection {
        do {
            return try await connect(key, on: loop)
        } catch {
            pool.giveBack(key)
            throw error
        }
    }

    private func connect(_ key: ConnectionKey, on loop: any EventLoop) async throws -> ClientConnection {
        let start = ContinuousClock.now
        // Those that fail may be outdated.
        var isConnected = false
        defer { if !isConnected { network.forget(key.connectHost) } }
        let policyNumber = network.policyNumber
        let addresses = try await network.addresses(for: key, within: limits.connecting)
        let attempt = ConnectionAttempt(addresses, on: loop, limits: limits) { [pool, tls] in
            ClientConnection(key, on: loop, in: pool, tls: key.isSecure ? tls : nil, policyNumber: policyNumber)
        }
        let connection = try await withTaskCancellationHandler {
            try await attempt.start(within: limits.connecting - start.duration(to: .now)).get()
        } onCancel: {
            attempt.cancel()
        }
        isConnected = true
        return connection
    }
}

/// The limits of a transport. A value type.
struct TransportLimits: Sendable {
    /// How long a request waits for a connection, name look-up and TLS included.
    var connecting: Duration = .seconds(5)
    /// How long the origin may take from the end of the request to the first byte of the response.
    var firstByte: Duration = .seconds(30)
    /// How long the origin may stay silent between two reads.
    var silence: Duration = .seconds(30)
    /// How long a request waits for 100 (Continue) before it sends its content (RFC 9110 §10.1.1).
    var continuation: Duration = .seconds(1)
    /// How long the short rest of a response that nobody reads may take.
    var draining: Duration = .seconds(1)
    /// How long a connection is kept without a request.
    var idling: Duration = .seconds(30)
    /// When the next address is tried while there is no connection to one (RFC 8305 §5).
    var nextAddress: Duration = .milliseconds(250)
    /// The number of connections to one origin.
    var connectionsPerOrigin = 256
    /// The number of all connections.
    var connections = 1_024
}
