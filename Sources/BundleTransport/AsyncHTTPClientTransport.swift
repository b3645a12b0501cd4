import AsyncHTTPClient
import BundleModel
import BundleNetwork
import BundleServing
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The network through AsyncHTTPClient: HTTP/1.1 over a pool of kept-alive connections of its own.
///
/// It doesn't follow redirects or decode content codings. Bodies are read from the socket only as fast as they are
/// consumed. Safe to use from any number of tasks at once. With the last copy the connections are closed, or with
/// ``shutdown()`` before.
public struct AsyncHTTPClientTransport: OriginTransport {
    /// AsyncHTTPClient ends a debug build's process when a client is released that wasn't shut down.
    private final class Client: Sendable {
        let http: HTTPClient

        init(_ http: HTTPClient) {
            self.http = http
        }

        deinit {
            // Fails only when that was done before.
            http.shutdown { _ in }
        }
    }

    private let client: Client
    private let network: OriginNetwork
    private let connectTimeout: Duration
    private let readTimeout: Duration

    /// Creates a transport without connecting.
    ///
    /// - Parameters:
    ///   - connectTimeout: How long a request waits for a connection, name look-up and TLS included. More than zero.
    ///   - readTimeout: How long the origin may stay silent, before the head and between two parts of the body. More
    ///     than zero. There is no limit on a transfer's whole duration.
    ///   - maximumConnectionsPerHost: How many connections to one origin are open at once, at least 1; further requests
    ///     wait for one for up to `connectTimeout`. 256 is more than a few dozen browsers need at a time, with an
    ///     origin that is slow but healthy, and far below the usual limit of 1024 open files.
    ///   - network: The addresses that may be connected to. The endpoint needs the same object.
    public init(
        connectTimeout: Duration = .seconds(5),
        readTimeout: Duration = .seconds(30),
        maximumConnectionsPerHost: Int = 256,
        network: OriginNetwork = OriginNetwork()
    ) {
        self.network = network
        self.connectTimeout = connectTimeout
        self.readTimeout = readTimeout
        var pool = HTTPClient.Configuration.ConnectionPool(
            idleTimeout: .seconds(30),
            concurrentHTTP1ConnectionsPerHostSoftLimit: maximumConnectionsPerHost
        )
        // Being offline is normal here, with a response available: fail immediately instead of retrying until the
        // timeout.
        pool.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(connectTimeout), read: TimeAmount(readTimeout)),
            connectionPool: pool,
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        // Called for every connection, between its set-up and its use; not only for debugging.
        configuration.http1_1ConnectionDebugInitializer = { [network] channel in
            network.admit(channel).flatMap { channel.guardResponses() }
        }
        client = Client(HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration))
    }

    /// Sends `request` and returns when the response's head has arrived.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when no response arrives, caused by
    ///   ``/BundleNetwork/OriginDenial`` when the address may not be connected to, and with code `invalidArgument` when
    ///   `request` has no http or https URL; `CancellationError` when the task is cancelled.
    public func send(_ call: OriginCall) async throws -> OriginResponse {
        let request = call.request
        let url = try AbsoluteURL(of: request)
        let failure = TransportFailure(url: url, connectTimeout: connectTimeout, readTimeout: readTimeout)
        do {
            try await network.check(url, within: connectTimeout)
            let response = try await execute(clientRequest(for: request, url: url))
            return OriginResponse(
                head: try HTTPResponse(status: response.status, fields: response.headers),
                body: BodyStream(TransportBody(body: response.body, failure: failure))
            )
        } catch let error as HTTPClientError where error == .invalidURL || error == .emptyHost {
            throw AbsoluteURL.refusal(of: request)
        } catch {
            throw failure.error(from: error, during: .sending)
        }
    }

    /// Closes every connection; requests in progress fail. Call it once, after the last request.
    public func shutdown() async {
        // The only failure is a second shutdown, and then there is nothing left to do.
        try? await client.http.shutdown()
    }

    /// Retries on another connection if the pooled one was being closed because of bytes after an earlier response: the
    /// origin hasn't seen the request, or may see it twice, because it is idempotent (RFC 9110 §9.2.2).
    private func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        do {
            return try await client.http.execute(request, deadline: .distantFuture)
        } catch {
            guard Self.isOfEarlierResponse(error) else { throw error }
            return try await client.http.execute(request, deadline: .distantFuture)
        }
    }

    private static func isOfEarlierResponse(_ error: any Error) -> Bool {
        error as? MalformedResponse == .unsolicited || error as? ChannelError == .ioOnClosedChannel
    }

    private func clientRequest(for request: HTTPRequest, url: AbsoluteURL) -> HTTPClientRequest {
        var result = HTTPClientRequest(url: url.string)
        result.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields {
            result.headers.add(name: field.name.rawName, value: field.value)
        }
        return result
    }
}
