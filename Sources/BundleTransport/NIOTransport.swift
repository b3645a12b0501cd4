import BundleModel
import HTTPCore
import HTTPTypes
import NIOPosix

/// The network: HTTP/1.1 over a pool of kept-alive connections, on SwiftNIO.
///
/// It follows no redirects and undoes no content codings; a transfer coding (RFC 9112 §7) is undone. Contents are read
/// only as fast as they are consumed, in both directions. A response that isn't well-formed is refused. Safe to use from
/// any number of tasks at once. With the last copy and the last response the connections are closed, or with
/// ``shutdown()`` before.
public struct NIOTransport: OriginTransport {
    private let client: TransportClient
    private let proxies: ForwardProxies

    /// Creates a transport without connecting.
    ///
    /// - Parameters:
    ///   - connectTimeout: How long a request waits for a connection, name look-up and TLS included. More than zero.
    ///   - firstByteTimeout: How long the origin may take from the end of the request to the first byte of its response.
    ///     More than zero.
    ///   - silenceTimeout: How long the origin may stay silent between two parts of a response. More than zero. There is no
    ///     limit on a transfer's whole duration, and none at all on the silence of an event stream (`text/event-stream`)
    ///     and of a connection that carries another protocol.
    ///   - maximumConnectionsPerHost: How many connections to one origin are open at once, at least 1; further requests
    ///     wait for one for up to `connectTimeout`. 256 is more than a few dozen browsers need at a time, with an
    ///     origin that is slow but healthy. All origins together get at most half of the files that the process may
    ///     have open.
    ///   - network: The addresses that may be connected to. The endpoint needs the same object.
    ///   - trust: The authorities whose certificates are trusted.
    ///   - proxies: Which proxy requests go through. It looks up the names of hosts itself: then `network` decides only
    ///     on hosts that are addresses.
    ///   - identities: The certificates for servers that ask for one: each gets the first that is for it.
    ///   - pins: The keys that certain hosts must have.
    public init(
        connectTimeout: Duration = .seconds(5),
        firstByteTimeout: Duration = .seconds(30),
        silenceTimeout: Duration = .seconds(30),
        maximumConnectionsPerHost: Int = 256,
        network: OriginNetwork = OriginNetwork(),
        trust: TrustedCertificates = .system,
        proxies: ForwardProxies = .none,
        identities: [ClientIdentity] = [],
        pins: CertificatePins = .none
    ) {
        var limits = TransportLimits()
        limits.connecting = connectTimeout
        limits.firstByte = firstByteTimeout
        limits.silence = silenceTimeout
        limits.connectionsPerOrigin = maximumConnectionsPerHost
        limits.connections = DescriptorShare.connectionCount
        let tls = TLSClient(trust, identities: identities, pins: pins)
        self.init(limits, network: network, tls: tls, proxies: proxies)
    }

    init(
        _ limits: TransportLimits,
        network: OriginNetwork = OriginNetwork(),
        tls: TLSClient = TLSClient(),
        proxies: ForwardProxies = .none
    ) {
        self.proxies = proxies
        client = TransportClient(limits, network: network, tls: tls)
    }

    /// Sends a request and returns when the response's head has arrived, which may be before all of the content was
    /// sent.
    ///
    /// A request that can be repeated (RFC 9110 §9.2.2) is sent again when the origin closes a connection that was kept
    /// from an earlier request.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when no response arrives, caused by
    ///   ``/HTTPCore/OriginDenial`` when the address may not be connected to, and with code `invalidArgument` when
    ///   the request has no http or https URL or can't be sent as HTTP/1.1; what reading the content throws;
    ///   `CancellationError` when the task is cancelled.
    public func send(_ call: OriginCall) async throws -> OriginResponse {
        let url = try AbsoluteURL(of: call.request)
        let mayUpgrade = EncodedRequest.mayUpgrade(call.request)
        let key = try ConnectionKey(url, call.connectTo, through: proxies, mayUpgrade: mayUpgrade)
        let request = try EncodedRequest(call, to: url, through: key.forwardingProxy)
        let failure = TransportFailure(url: url, limits: client.limits, proxy: key.proxy)
        do {
            let (head, response) = try await client.send(request, to: key)
            let owner = ResponseOwner(response, of: client)
            // Only a proxy has this status (RFC 9110 §15.5.8).
            if key.forwardingProxy != nil, head.response.status.code == 407 { throw ProxyFailure.status(407) }
            return Self.response(head, owner, failure)
        } catch {
            throw failure.error(from: error, during: .sending)
        }
    }

    /// Closes every connection; requests in progress fail. Call it once, after the last request.
    public func shutdown() async {
        await client.pool.shutDown()
    }

    private static func response(
        _ head: ResponseHead,
        _ owner: ResponseOwner,
        _ failure: TransportFailure
    ) -> OriginResponse {
        guard head.response.status.code != 101 else {
            return OriginResponse(head: head.response, tunnel: Tunnel(owner, failure))
        }
        if head.transferCoding == nil, let content = owner.response.takeWhole() {
            return OriginResponse(head: head.response, body: BodyStream(content))
        }
        let body = ReceivedBody(owner: owner, coding: head.transferCoding, failure: failure)
        return OriginResponse(
            head: head.response,
            body: BodyStream(body, trailers: { [response = owner.response] in response.trailers })
        )
    }
}

/// The part of the process's open files that connections to origins may take.
enum DescriptorShare {
    /// No server has a use for more.
    private static let maximumCount = 8_192

    /// The number of connections: half of the current limit of open files.
    static var connectionCount: Int {
        OpenFileLimit.current.map { max(2, min($0 / 2, maximumCount)) } ?? 512
    }
}
