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

/// How long an endpoint waits for origins, and how often it asks again.
struct OriginTimeOptions: ParsableArguments {
    @Option(
        originTimeout: "connect",
        "How long a connection to an origin may take, look-up and TLS included. Default: 5s."
    )
    var connecting: DurationArgument?

    @Option(
        originTimeout: "first-byte",
        "How long an origin may take from a request to the first byte of its response. Default: 30s."
    )
    var firstByte: DurationArgument?

    @Option(
        originTimeout: "silence",
        "How long an origin may stop sending a response. Event streams and tunnels have no limit. Default: 30s."
    )
    var silence: DurationArgument?

    @Option(
        name: .customLong("origin-retries"),
        help: ArgumentHelp(
            "How often a request without content that got no response is sent again, 0 to 10, where its method allows it.",
            valueName: "n"
        )
    )
    var retryCount = RetryPolicy().maximumCount

    func validate() throws {
        let times = [("connect", connecting), ("first-byte", firstByte), ("silence", silence)]
        for (name, value) in times where value?.duration == .zero {
            throw ValidationError("0s", of: "--origin-\(name)-timeout", mustBe: "longer than 0s", suchAs: "10s")
        }
        guard (0...10).contains(retryCount) else {
            throw ValidationError(retryCount, of: "--origin-retries", mustBe: "0 to 10", suchAs: "2")
        }
    }

    /// How requests are repeated.
    var retries: RetryPolicy {
        var policy = RetryPolicy()
        policy.maximumCount = retryCount
        return policy
    }

    /// The network with the time limits that were given, otherwise the defaults.
    func transport(_ network: OriginNetwork, over access: NetworkAccess) -> NIOTransport {
        NIOTransport(
            connectTimeout: connecting?.duration ?? .seconds(5),
            firstByteTimeout: firstByte?.duration ?? .seconds(30),
            silenceTimeout: silence?.duration ?? .seconds(30),
            network: network,
            trust: access.trust,
            proxies: access.proxies
        )
    }
}

extension Option<DurationArgument?> {
    /// One of the time limits for origins.
    fileprivate init(originTimeout name: String, _ help: String) {
        self.init(name: .customLong("origin-\(name)-timeout"), help: ArgumentHelp(help, valueName: "duration"))
    }
}
