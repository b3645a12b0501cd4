import ArgumentParser
import BundleNetwork
import BundleServer
import BundleTransport
import HTTPCore

/// The networks in which an endpoint may connect to origins.
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
            "Allow origins and feeds on this machine, or in private networks; may be repeated. Default: only when the "
                + "server can only be reached from this machine.",
            valueName: "network"
        )
    )
    var allowed: [Scope] = []

    /// For the transport and the endpoint.
    var network: OriginNetwork {
        OriginNetwork(OriginAddressPolicy(allowing: Set(allowed.map(\.scope))))
    }
}
