import ArgumentParser
import BundleServer

/// What a server's operator sees of it.
struct OperationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where to tell /metrics (for Prometheus), /healthz and /readyz, to whoever can connect.",
            valueName: "address"
        )
    )
    var admin: ListenAddress?

    @Option(
        help: ArgumentHelp(
            "Append a line for each request to a file, - for standard output; SIGUSR1 opens it anew. Queries are logged.",
            valueName: "file"
        )
    )
    var accessLog: String?

    @Option(help: ArgumentHelp("How requests are logged.", valueName: "format"))
    var accessLogFormat = AccessLogFormat.combined
}
