import ArgumentParser
import BundleServer
import BundleStore

/// What an operator can see of a server.
struct OperationOptions: ParsableArguments {
    static let options = [admin, adminTokenFile, accessLog, accessLogFormat.option, statisticsEvery.option]

    private static let admin = ConfigurableOption(
        "admin",
        "Where to serve /metrics (for Prometheus), /healthz and /readyz, to every client that can connect; and the dashboard, "
            + "to those who have the link that is printed at the start.",
        value: "address"
    )
    @Option(Self.admin) var admin: ListenAddress?

    private static let adminTokenFile = ConfigurableOption(
        "admin-token-file",
        "A file whose first line is the dashboard's token, of 16 characters or more; nobody but its owner and group may have a "
            + "right to it.",
        value: "file",
        default: "one that is made at each start, and printed"
    )
    @Option(Self.adminTokenFile, completion: .file()) var adminTokenFile: String?

    private static let accessLog = ConfigurableOption(
        "access-log",
        "Append a line for each request to a file, - for standard output; SIGUSR1 reopens it. Queries are logged.",
        value: "file"
    )
    @Option(Self.accessLog) var accessLog: String?

    private static let accessLogFormat = DefaultedOption(
        "access-log-format",
        "The format of the access log.",
        value: "format",
        default: AccessLogFormat.combined
    )
    @Option(Self.accessLogFormat) var accessLogFormat: AccessLogFormat

    private static let statisticsEvery = DefaultedOption(
        "statistics-every",
        "How often the statistics for bundlectl stats are written to the store: 60s, 10m; off counts nothing.",
        value: "duration|off",
        default: IntervalArgument.every(DurationArgument(seconds: 60))
    )
    @Option(Self.statisticsEvery) var statisticsEvery: IntervalArgument

    /// The token that the operator has chosen, as its file has it now; nil without one.
    ///
    /// - Throws: `BundleError` as ``SecretFile/line(of:)``, and with code `invalidArgument` for what can't be a token.
    func adminToken() throws(BundleError) -> AdminToken? {
        guard let adminTokenFile else { return nil }
        guard let token = AdminToken(try SecretFile.line(of: adminTokenFile)) else {
            throw BundleError(
                .invalidArgument,
                "the first line of \(Printable.line(adminTokenFile)) can't be a token: it must have "
                    + "\(AdminToken.lengths.lowerBound) to \(AdminToken.lengths.upperBound) letters, digits and -._~+/, such as "
                    + "“openssl rand -hex 32” prints"
            )
        }
        return token
    }

    func validate() throws {
        if adminTokenFile != nil, admin == nil {
            throw ValidationError("--admin-token-file is for the dashboard; give --admin, or leave it out")
        }
    }

    /// Why the dashboard's address may be the wrong one; nil when only this machine can reach it.
    var warning: String? {
        admin?.reachableHost.map {
            "other machines can reach --admin at \($0), and the dashboard's token goes there over plain HTTP; give an address of "
                + "this machine, such as 127.0.0.1:9090, or unix:PATH"
        }
    }
}

/// How often something takes place, on the command line: a duration of at least a second, or `off`.
enum IntervalArgument: ExpressibleByArgument, Equatable {
    case every(DurationArgument)
    case off

    init?(argument: String) {
        if argument == "off" {
            self = .off
        } else if let duration = DurationArgument(argument: argument), duration.duration > .zero {
            self = .every(duration)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .every(let interval): interval.defaultValueDescription
        case .off: "off"
        }
    }

    /// The time from one to the next; nil for never.
    var interval: Duration? {
        switch self {
        case .every(let interval): interval.duration
        case .off: nil
        }
    }
}
