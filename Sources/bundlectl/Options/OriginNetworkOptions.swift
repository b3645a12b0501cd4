import ArgumentParser
import BundleNetwork
import BundleServer

/// Where an endpoint may look for what bundles lack.
struct OriginNetworkOptions: ParsableArguments {
    /// A network that isn't the internet.
    enum Scope: String, CaseIterable, ExpressibleByArgument {
        case loopback
        case `private`

        fileprivate var scope: NetworkScope {
            switch self {
            case .loopback: .loopback
            case .private: .private
            }
        }
    }

    @Option(
        name: .customLong("allow-origin-network"),
        help: ArgumentHelp(
            "Let origins and feeds be on this machine, or in private networks; may be repeated. Default: only when the "
                + "server can be reached from this machine alone.",
            valueName: "network"
        )
    )
    var allowed: [Scope] = []

    /// For the transport and the endpoint.
    var network: OriginNetwork {
        OriginNetwork(OriginAddressPolicy(allowing: Set(allowed.map(\.scope))))
    }
}
