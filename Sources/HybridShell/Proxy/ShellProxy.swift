import BundleModel
import BundleStore
import CWebKitGTK
import OfflineBundles

/// The web view's way to the network, on a free port of 127.0.0.1: connections to the bundles' origins end here, and all others
/// are passed on as they are. Which origins that are may change at any time.
@MainActor
final class ShellProxy {
    /// The URL to give to the web view, with the credential.
    let url: String
    private(set) var trust: ProxyTrust

    private let service: GObjectReference
    private let credential = SocksCredential.random()
    private var origins: InterceptedOrigins
    private var tunnels = OpenTunnels()
    private let fronts: [OriginURL.Scheme: SoupFront]

    /// - Throws: ``ShellFailure`` when there is no free port, and what making the certificate throws.
    init(_ origins: InterceptedOrigins, _ responder: ShellResponder) throws {
        self.origins = origins
        trust = try ProxyTrust(origins.secureHosts)
        fronts = [.http: SoupFront(.http, responder), .https: SoupFront(.https, responder)]
        guard let service = g_socket_service_new() else { throw ShellFailure("there is no socket service") }
        self.service = GObjectReference(taking: UnsafeMutableRawPointer(service))
        url = credential.proxyURL(port: try Self.listen(self.service))
        Signal.connect(self.service.pointer, "incoming", arguments: 2) { [weak self] arguments in
            if let connection = arguments[0] { self?.accept(connection) }
            return true
        }
    }

    /// Connections that begin from now on go by these origins. What has been passed on to one of them is closed, since the
    /// web view would send its next requests there.
    ///
    /// - Parameter willChange: Called before, when there is a certificate that the web view doesn't trust yet.
    /// - Throws: What making the certificate throws.
    func intercept(_ origins: InterceptedOrigins, willChange: (ProxyTrust) -> Void) throws {
        guard origins != self.origins else { return }
        if !origins.secureHosts.isSubset(of: trust.hosts) {
            trust = try ProxyTrust(origins.secureHosts.union(trust.hosts))
            willChange(trust)
        }
        self.origins = origins
        tunnels.close { origins.scheme(of: $0) != nil }
    }

    private func accept(_ connection: UnsafeMutableRawPointer) {
        SocksSession(connection, credential) { [weak self] destination, session in
            guard let self else { return session.close() }
            if let scheme = origins.scheme(of: destination) {
                serve(scheme, session)
            } else {
                tunnel(destination, session)
            }
        }.read()
    }

    private func serve(_ scheme: OriginURL.Scheme, _ session: SocksSession) {
        session.reply(.succeeded) { [weak self] session in
            guard let self, let stream = secured(session.stream, scheme) else { return session.close() }
            fronts[scheme]?.accept(stream, of: session.connection)
            g_object_unref(stream)
        }
    }

    /// The caller owns the result.
    private func secured(
        _ stream: UnsafeMutablePointer<GIOStream>,
        _ scheme: OriginURL.Scheme
    ) -> UnsafeMutablePointer<GIOStream>? {
        guard scheme == .https else {
            g_object_ref(stream)
            return stream
        }
        let certificate = trust.identity.pointer.assumingMemoryBound(to: GTlsCertificate.self)
        return g_tls_server_connection_new(stream, certificate, nil)
    }

    private func tunnel(_ destination: SocksDestination, _ session: SocksSession) {
        guard let client = g_socket_client_new() else { return session.close() }
        // Straight to the network, also where a proxy of the environment would be this one.
        g_socket_client_set_timeout(client, 30)
        AsyncCall.start { callback, data in
            let port = guint16(destination.port)
            g_socket_client_connect_to_host_async(client, destination.host, port, nil, callback, data)
        } completion: { result in
            let peer = g_socket_client_connect_to_host_finish(client, result, nil)
            g_object_unref(client)
            guard let peer else { return session.reply(.hostUnreachable) { $0.close() } }
            let stream = GObjectReference(taking: UnsafeMutableRawPointer(peer))
            session.reply(.succeeded) { [weak self] session in self?.splice(session, stream, to: destination) }
        }
    }

    private func splice(_ session: SocksSession, _ peer: GObjectReference, to destination: SocksDestination) {
        // What was mapped while the connection came about is asked on another one.
        guard origins.scheme(of: destination) == nil else { return session.close() }
        let flags = GIOStreamSpliceFlags(
            rawValue: G_IO_STREAM_SPLICE_CLOSE_STREAM1.rawValue | G_IO_STREAM_SPLICE_CLOSE_STREAM2.rawValue
                | G_IO_STREAM_SPLICE_WAIT_FOR_BOTH.rawValue
        )
        let tunnel = tunnels.open(to: destination)
        AsyncCall.start { callback, data in
            let end = tunnel.cancellable.pointer.assumingMemoryBound(to: GCancellable.self)
            let stream = peer.pointer.assumingMemoryBound(to: GIOStream.self)
            g_io_stream_splice_async(session.stream, stream, flags, G_PRIORITY_DEFAULT, end, callback, data)
        } completion: { [weak self] result in
            g_io_stream_splice_finish(result, nil)
            self?.tunnels.remove(tunnel.number)
        }
    }

    private static func listen(_ service: GObjectReference) throws -> Int {
        let listener = service.pointer.assumingMemoryBound(to: GSocketListener.self)
        guard let loopback = g_inet_address_new_loopback(G_SOCKET_FAMILY_IPV4),
            let address = g_inet_socket_address_new(loopback, 0)
        else { throw ShellFailure("there is no loopback interface") }
        defer {
            g_object_unref(loopback)
            g_object_unref(address)
        }
        var effective: UnsafeMutablePointer<GSocketAddress>?
        let isListening = g_socket_listener_add_address(
            listener,
            address,
            G_SOCKET_TYPE_STREAM,
            G_SOCKET_PROTOCOL_TCP,
            nil,
            &effective,
            nil
        )
        guard isListening != 0, let effective else { throw ShellFailure("no port of 127.0.0.1 is free") }
        defer { g_object_unref(effective) }
        let internet = UnsafeMutableRawPointer(effective).assumingMemoryBound(to: GInetSocketAddress.self)
        return Int(g_inet_socket_address_get_port(internet))
    }
}

/// The connections that the ``ShellProxy`` passes on.
@MainActor
struct OpenTunnels {
    struct Tunnel {
        let number: Int
        let destination: SocksDestination
        /// Ends it.
        let cancellable: GObjectReference
    }

    private var tunnels: [Int: Tunnel] = [:]
    private var lastNumber = 0

    mutating func open(to destination: SocksDestination) -> Tunnel {
        lastNumber += 1
        let cancellable = GObjectReference(taking: UnsafeMutableRawPointer(g_cancellable_new()))
        let tunnel = Tunnel(number: lastNumber, destination: destination, cancellable: cancellable)
        tunnels[lastNumber] = tunnel
        return tunnel
    }

    mutating func remove(_ number: Int) {
        tunnels[number] = nil
    }

    /// Closes those that lead to certain destinations. They are removed once they have ended.
    func close(where isUnwanted: (SocksDestination) -> Bool) {
        for tunnel in tunnels.values where isUnwanted(tunnel.destination) {
            g_cancellable_cancel(tunnel.cancellable.pointer.assumingMemoryBound(to: GCancellable.self))
        }
    }
}

/// The origins that the bundles of a store are mapped to: connections to these end here, all others go to the network as they
/// are, with the certificate of the server.
struct InterceptedOrigins: Equatable, Sendable {
    private let schemes: [SocksDestination: OriginURL.Scheme]

    init(_ mappings: [OriginMapping]) {
        let places = mappings.map { mapping in
            let host = mapping.origin.host.withoutBrackets
            let port = mapping.origin.port ?? mapping.origin.scheme.defaultPort
            return (SocksDestination(host: host, port: port), mapping.origin.scheme)
        }
        schemes = Dictionary(places) { first, _ in first }
    }

    /// Those of the active releases.
    init(_ snapshot: StoreSnapshot) {
        self.init(snapshot.bundles.values.flatMap { $0.serving?.manifest.origins ?? [] })
    }

    /// With which scheme the shell serves a connection; nil for one that it passes on.
    func scheme(of destination: SocksDestination) -> OriginURL.Scheme? { schemes[destination] }

    /// The hosts whose certificate has to be trusted.
    var secureHosts: Set<String> { Set(schemes.filter { $0.value == .https }.keys.map(\.host)) }
}
