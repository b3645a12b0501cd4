import ArgumentParser
import BundleServer
import HTTPCore

/// Where a server listens, who may connect, and how the connections are protected.
struct ListenOptions: ParsableArguments {
    static let options = [listen.option, socketMode, allowHost, tlsCertificate, tlsKey]

    private static let listen = DefaultedOption(
        "listen",
        "Where to listen: HOST:PORT, on each of the host's addresses, or PORT, on 127.0.0.1; port 0 picks a free one; "
            + "unix:PATH; or systemd, for the sockets of its .socket unit, systemd:NAME for some of them.",
        value: "address",
        default: ListenAddress.tcp(host: "127.0.0.1", port: 8080)
    )
    @Option(Self.listen) var listen: ListenAddress

    private static let socketMode = ConfigurableOption(
        "socket-mode",
        "Who may connect to a Unix socket: 660.",
        value: "mode",
        default: "by the umask"
    )
    @Option(Self.socketMode) var socketMode: SocketMode?

    private static let allowHost = ConfigurableOption.list(
        "allow-host",
        "Also accept requests for this host, * for any; may be repeated.",
        value: "host",
        default: "this machine, the host in --listen, and the bundles' origins"
    )
    @Option(Self.allowHost) var allowHost: [AllowedHost] = []

    private static let tlsCertificate = ConfigurableOption(
        "tls-certificate",
        "Serve over HTTPS, with the certificate in this PEM file and --tls-key. Renewed files are reloaded.",
        value: "file"
    )
    @Option(Self.tlsCertificate) var tlsCertificate: String?

    private static let tlsKey = ConfigurableOption(
        "tls-key",
        "The certificate's private key, a PEM file without a passphrase.",
        value: "file"
    )
    @Option(Self.tlsKey) var tlsKey: String?

    func validate() throws {
        if socketMode != nil {
            guard case .unix = listen else {
                throw ValidationError("--socket-mode is for a Unix socket; give --listen unix:PATH, or leave it out")
            }
        }
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("--tls-certificate and --tls-key go together; give both or none")
        }
    }

    /// Sets what the options say.
    func apply(to configuration: inout BundleEndpoint.Configuration) {
        configuration.address = listen
        configuration.socketMode = socketMode
        configuration.allowedHosts = Set(allowHost)
        if let tlsCertificate, let tlsKey {
            configuration.tls = TLSFiles(certificate: tlsCertificate, key: tlsKey)
        }
    }
}

extension ListenAddress {
    /// The host at which other machines can connect; nil when only this one can, or when that isn't known.
    var reachableHost: String? {
        guard case .tcp(let host, _) = self, NetworkScope(ofHost: host) != .loopback else { return nil }
        return host
    }
}
