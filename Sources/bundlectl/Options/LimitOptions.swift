import ArgumentParser
import BundleServer
import BundleServing

/// The limits of a server for one client and for all clients together.
struct LimitOptions: ParsableArguments {
    static let options = [
        maxConnections.option, maxConnectionsPerAddress.option, maxWaitingRequests.option,
        maxWaitingRequestsPerAddress.option, maxRequestRate.option, maxHeadSize, maxHeaderFields.option,
        idleTimeout, headTimeout, bodyTimeout, writeTimeout,
    ]
    private static let defaults = ServerLimits()

    private static let maxConnections = DefaultedOption(
        "max-connections",
        "The largest number of connections.",
        default: defaults.connections
    )
    @Option(Self.maxConnections) var maxConnections: Int

    private static let maxConnectionsPerAddress = DefaultedOption(
        "max-connections-per-address",
        "The largest number of connections from one address.",
        default: defaults.connectionsPerAddress
    )
    @Option(Self.maxConnectionsPerAddress) var maxConnectionsPerAddress: Int

    private static let maxWaitingRequests = DefaultedOption(
        "max-waiting-requests",
        "The most requests that wait for the network or the disk.",
        default: defaults.waitingRequests
    )
    @Option(Self.maxWaitingRequests) var maxWaitingRequests: Int

    private static let maxWaitingRequestsPerAddress = DefaultedOption(
        "max-waiting-requests-per-address",
        "The most of these from one address.",
        default: defaults.waitingRequestsPerAddress
    )
    @Option(Self.maxWaitingRequestsPerAddress) var maxWaitingRequestsPerAddress: Int

    private static let maxRequestRate = DefaultedOption(
        "max-request-rate",
        "The most requests per second on a connection.",
        default: defaults.requestsPerSecond
    )
    @Option(Self.maxRequestRate) var maxRequestRate: Int

    private static let maxHeadSize = ConfigurableOption(
        "max-head-size",
        "The longest request head: 16KB, at most 64 KiB.",
        value: "head-size",
        default: "\(defaults.head.byteCount >> 10) KiB"
    )
    @Option(Self.maxHeadSize) var maxHeadSize: HeadSizeArgument?

    private static let maxHeaderFields = DefaultedOption(
        "max-header-fields",
        "The most header fields of a request.",
        default: defaults.head.fieldCount
    )
    @Option(Self.maxHeaderFields) var maxHeaderFields: Int

    private static let idleTimeout = timeout("idle", "How long a connection may be idle: 60s, 5m.", defaults.idle)
    @Option(Self.idleTimeout) var idleTimeout: DurationArgument?

    private static let headTimeout = timeout("head", "How long a request head may take to arrive.", defaults.headTime)
    @Option(Self.headTimeout) var headTimeout: DurationArgument?

    private static let bodyTimeout = timeout("body", "How long a request body may take to arrive.", defaults.bodyTime)
    @Option(Self.bodyTimeout) var bodyTimeout: DurationArgument?

    private static let writeTimeout = timeout(
        "write",
        "How long a client may stop reading a response.",
        defaults.writeStall
    )
    @Option(Self.writeTimeout) var writeTimeout: DurationArgument?

    private static func timeout(_ name: String, _ text: String, _ standard: Duration) -> ConfigurableOption {
        ConfigurableOption("\(name)-timeout", text, value: "duration", default: DurationArgument.text(standard))
    }

    func validate() throws {
        let numbers = [
            (Self.maxConnections, maxConnections), (Self.maxConnectionsPerAddress, maxConnectionsPerAddress),
            (Self.maxWaitingRequests, maxWaitingRequests),
            (Self.maxWaitingRequestsPerAddress, maxWaitingRequestsPerAddress), (Self.maxRequestRate, maxRequestRate),
            (Self.maxHeaderFields, maxHeaderFields),
        ]
        for (declared, value) in numbers where value < 1 {
            throw ValidationError(value, of: declared.option.label, mustBe: "1 or more", suchAs: "100")
        }
        let times = [
            (Self.idleTimeout, idleTimeout), (Self.headTimeout, headTimeout), (Self.bodyTimeout, bodyTimeout),
            (Self.writeTimeout, writeTimeout),
        ]
        for (option, value) in times where value?.duration == .zero {
            throw ValidationError("0s", of: option.label, mustBe: "longer than 0s", suchAs: "30s")
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
