import ArgumentParser
import BundleServer

/// What an operator can see of a server.
struct OperationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where to serve /metrics (for Prometheus), /healthz and /readyz, to every client that can connect; and the dashboard, "
                + "to those who have the link that is printed at the start.",
            valueName: "address"
        )
    )
    var admin: ListenAddress?

    @Option(
        help: ArgumentHelp(
            "Append a line for each request to a file, - for standard output; SIGUSR1 reopens it. Queries are logged.",
            valueName: "file"
        )
    )
    var accessLog: String?

    @Option(help: ArgumentHelp("The format of the access log.", valueName: "format"))
    var accessLogFormat = AccessLogFormat.combined

    @Option(
        help: ArgumentHelp(
            "How often the statistics for bundlectl stats are written to the store: 60s, 10m; off counts nothing.",
            valueName: "duration|off"
        )
    )
    var statisticsEvery = IntervalArgument.every(DurationArgument(seconds: 60))

    /// Why the dashboard's address may be the wrong one; nil when only this machine can reach it.
    var warning: String? {
        admin?.reachableHost.map {
            "other machines can reach --admin at \($0), and the dashboard's token goes there over plain HTTP; give an address of "
                + "this machine, such as 127.0.0.1:9090, or unix:PATH"
        }
    }
}
