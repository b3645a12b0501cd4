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

    static let options = [allowed]

    private static let allowed = ConfigurableOption.list(
        "allow-origin-network",
        "Allow origins and feeds on this machine, or in private networks; may be repeated.",
        value: "network",
        default: "only when the server can only be reached from this machine"
    )
    @Option(Self.allowed) var allowed: [Scope] = []

    /// For the transport and the endpoint.
    var network: OriginNetwork {
        OriginNetwork(OriginAddressPolicy(allowing: Set(allowed.map(\.scope))))
    }
}

/// How long an endpoint waits for origins, and how often it asks again.
struct OriginTimeOptions: ParsableArguments {
    static let options = [connecting, firstByte, silence, retryCount.option]

    private static let connectTime: Duration = .seconds(5)
    private static let connecting = timeout(
        "connect",
        "How long a connection to an origin may take, look-up and TLS included.",
        connectTime
    )
    @Option(Self.connecting) var connecting: DurationArgument?

    private static let firstByteTime: Duration = .seconds(30)
    private static let firstByte = timeout(
        "first-byte",
        "How long an origin may take from a request to the first byte of its response.",
        firstByteTime
    )
    @Option(Self.firstByte) var firstByte: DurationArgument?

    private static let silenceTime: Duration = .seconds(30)
    private static let silence = timeout(
        "silence",
        "How long an origin may stop sending a response. Event streams and tunnels have no limit.",
        silenceTime
    )
    @Option(Self.silence) var silence: DurationArgument?

    private static let retryCount = DefaultedOption(
        "origin-retries",
        "How often a request without content that got no response is sent again, 0 to 10, where its method allows it.",
        default: RetryPolicy().maximumCount
    )
    @Option(Self.retryCount) var retryCount: Int

    private static func timeout(_ name: String, _ text: String, _ standard: Duration) -> ConfigurableOption {
        ConfigurableOption("origin-\(name)-timeout", text, value: "duration", default: DurationArgument.text(standard))
    }

    func validate() throws {
        let times = [(Self.connecting, connecting), (Self.firstByte, firstByte), (Self.silence, silence)]
        for (option, value) in times where value?.duration == .zero {
            throw ValidationError("0s", of: option.label, mustBe: "longer than 0s", suchAs: "10s")
        }
        guard (0...10).contains(retryCount) else {
            throw ValidationError(retryCount, of: Self.retryCount.option.label, mustBe: "0 to 10", suchAs: "2")
        }
    }

    /// How requests are repeated.
    var retries: RetryPolicy {
        var policy = RetryPolicy()
        policy.maximumCount = retryCount
        return policy
    }

    /// The network with the time limits that were given, otherwise the defaults.
    ///
    /// - Parameter identities: The certificates for servers that ask for one.
    func transport(
        _ network: OriginNetwork,
        over access: NetworkAccess,
        showing identities: [ClientIdentity] = []
    ) -> NIOTransport {
        NIOTransport(
            connectTimeout: connecting?.duration ?? Self.connectTime,
            firstByteTimeout: firstByte?.duration ?? Self.firstByteTime,
            silenceTimeout: silence?.duration ?? Self.silenceTime,
            network: network,
            trust: access.trust,
            proxies: access.proxies,
            identities: identities
        )
    }
}
