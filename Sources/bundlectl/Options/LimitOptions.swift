import ArgumentParser
import BundleServer
import BundleServing

/// The limits of a server for one client and for all clients together.
struct LimitOptions: ParsableArguments {
    private static let defaults = ServerLimits()

    @Option(help: ArgumentHelp("The largest number of connections.", valueName: "n"))
    var maxConnections = Self.defaults.connections

    @Option(help: ArgumentHelp("The largest number of connections from one address.", valueName: "n"))
    var maxConnectionsPerAddress = Self.defaults.connectionsPerAddress

    @Option(help: ArgumentHelp("The most requests that wait for the network or the disk.", valueName: "n"))
    var maxWaitingRequests = Self.defaults.waitingRequests

    @Option(help: ArgumentHelp("The most of these from one address.", valueName: "n"))
    var maxWaitingRequestsPerAddress = Self.defaults.waitingRequestsPerAddress

    @Option(help: ArgumentHelp("The most requests per second on a connection.", valueName: "n"))
    var maxRequestRate = Self.defaults.requestsPerSecond

    @Option(
        help: ArgumentHelp(
            "The longest request head: 16KB, at most 64 KiB. Default: 32 KiB.",
            valueName: "head-size"
        )
    )
    var maxHeadSize: HeadSizeArgument?

    @Option(help: ArgumentHelp("The most header fields of a request.", valueName: "n"))
    var maxHeaderFields = Self.defaults.head.fieldCount

    @Option(
        help: ArgumentHelp("How long a connection may be idle: 60s, 5m. Default: 60s.", valueName: "duration")
    )
    var idleTimeout: DurationArgument?

    @Option(help: ArgumentHelp("How long a request head may take to arrive. Default: 20s.", valueName: "duration"))
    var headTimeout: DurationArgument?

    @Option(help: ArgumentHelp("How long a request body may take to arrive. Default: 30s.", valueName: "duration"))
    var bodyTimeout: DurationArgument?

    @Option(
        help: ArgumentHelp("How long a client may stop reading a response. Default: 30s.", valueName: "duration")
    )
    var writeTimeout: DurationArgument?

    func validate() throws {
        let numbers = [
            ("connections", maxConnections), ("connections-per-address", maxConnectionsPerAddress),
            ("waiting-requests", maxWaitingRequests),
            ("waiting-requests-per-address", maxWaitingRequestsPerAddress), ("request-rate", maxRequestRate),
            ("header-fields", maxHeaderFields),
        ]
        for (name, value) in numbers where value < 1 {
            throw ValidationError(value, of: "--max-\(name)", mustBe: "1 or more", suchAs: "100")
        }
        let times = [("idle", idleTimeout), ("head", headTimeout), ("body", bodyTimeout), ("write", writeTimeout)]
        for (name, value) in times where value?.duration == .zero {
            throw ValidationError("0s", of: "--\(name)-timeout", mustBe: "longer than 0s", suchAs: "30s")
        }
    }

    /// The limits that were given, otherwise the defaults.
    var limits: ServerLimits {
        var limits = Self.defaults
        limits.connections = maxConnections
        limits.connectionsPerAddress = maxConnectionsPerAddress
        limits.waitingRequests = maxWaitingRequests
        limits.waitingRequestsPerAddress = maxWaitingRequestsPerAddress
        limits.requestsPerSecond = maxRequestRate
        limits.head.fieldCount = maxHeaderFields
        if let maxHeadSize {
            limits.head.byteCount = maxHeadSize.byteCount
            limits.head.targetByteCount = min(limits.head.targetByteCount, limits.head.byteCount)
        }
        if let idleTimeout { limits.idle = idleTimeout.duration }
        if let headTimeout { limits.headTime = headTimeout.duration }
        if let bodyTimeout { limits.bodyTime = bodyTimeout.duration }
        if let writeTimeout { limits.writeStall = writeTimeout.duration }
        return limits
    }
}

/// The longest request head, on the command line: a size of at most 64 KiB.
struct HeadSizeArgument: ExpressibleByArgument, Equatable {
    /// One field may be as long as the head, and libnghttp2 accepts none that is longer; browsers send much less.
    private static let maximumByteCount: Int64 = 64 << 10

    let byteCount: Int

    init?(argument: String) {
        guard let size = ByteCountArgument(argument: argument), size.byteCount <= Self.maximumByteCount else {
            return nil
        }
        byteCount = Int(size.byteCount)
    }
}
