import OfflineBundles

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
