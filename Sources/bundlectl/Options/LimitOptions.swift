import ArgumentParser
import BundleServer
import BundleServing

/// How much a client, and all of them together, may ask of a server.
struct LimitOptions: ParsableArguments {
    private static let defaults = EndpointLimits()

    @Option(help: ArgumentHelp("How many connections there may be at once.", valueName: "n"))
    var maxConnections = Self.defaults.connections

    @Option(help: ArgumentHelp("How many of them may come from one address.", valueName: "n"))
    var maxConnectionsPerAddress = Self.defaults.connectionsPerAddress

    @Option(help: ArgumentHelp("How many requests a connection may send in a second.", valueName: "n"))
    var maxRequestRate = Self.defaults.requestsPerSecond

    @Option(
        help: ArgumentHelp(
            "The longest head of a request: 16KB, at most 64 KiB. Default: 32 KiB.",
            valueName: "size"
        )
    )
    var maxHeadSize: ByteCountArgument?

    @Option(help: ArgumentHelp("How many header fields a request may have.", valueName: "n"))
    var maxHeaderFields = Self.defaults.head.fieldCount

    @Option(
        help: ArgumentHelp("How long a connection may be silent: 60s, 5m. Default: 60s.", valueName: "duration")
    )
    var idleTimeout: DurationArgument?

    @Option(help: ArgumentHelp("How long a request's head may take. Default: 20s.", valueName: "duration"))
    var headTimeout: DurationArgument?

    @Option(help: ArgumentHelp("How long a request's content may take. Default: 30s.", valueName: "duration"))
    var bodyTimeout: DurationArgument?

    @Option(
        help: ArgumentHelp("How long a client may take nothing of an answer. Default: 30s.", valueName: "duration")
    )
    var writeTimeout: DurationArgument?

    func validate() throws {
        let numbers = [
            ("connections", maxConnections), ("connections-per-address", maxConnectionsPerAddress),
            ("request-rate", maxRequestRate), ("header-fields", maxHeaderFields),
        ]
        for (name, value) in numbers where value < 1 { throw ValidationError("--max-\(name) must be 1 or more") }
        // One field may be as long as the head, and libnghttp2 takes no longer one; browsers send much less.
        if let maxHeadSize, maxHeadSize.byteCount > 64 << 10 {
            throw ValidationError("--max-head-size must be at most 64 KiB, 65536B")
        }
        let times = [("idle", idleTimeout), ("head", headTimeout), ("body", bodyTimeout), ("write", writeTimeout)]
        for (name, value) in times where value?.duration == .zero {
            throw ValidationError("--\(name)-timeout must be longer than 0s")
        }
    }

    /// The limits that were given; the defaults where none was.
    var limits: EndpointLimits {
        var limits = Self.defaults
        limits.connections = maxConnections
        limits.connectionsPerAddress = maxConnectionsPerAddress
        limits.requestsPerSecond = maxRequestRate
        limits.head.fieldCount = maxHeaderFields
        if let maxHeadSize {
            limits.head.byteCount = Int(maxHeadSize.byteCount)
            limits.head.targetByteCount = min(limits.head.targetByteCount, limits.head.byteCount)
        }
        if let idleTimeout { limits.idle = idleTimeout.duration }
        if let headTimeout { limits.headTime = headTimeout.duration }
        if let bodyTimeout { limits.bodyTime = bodyTimeout.duration }
        if let writeTimeout { limits.writeStall = writeTimeout.duration }
        return limits
    }
}
