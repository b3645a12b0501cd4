import ArgumentParser
import Logging

/// What a server logs on standard error, and how.
struct LoggingOptions: ParsableArguments {
    @Flag(help: "Log each request: as --log-level debug.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print the address and errors only: as --log-level error.")
    var quiet = false

    @Option(help: ArgumentHelp("The least level that is logged. Default: info.", valueName: "level"))
    var logLevel: Logger.Level?

    @Option(help: ArgumentHelp("The format of the log.", valueName: "format"))
    var logFormat = LogFormat.text

    func validate() throws {
        guard [verbose, quiet, logLevel != nil].count(where: \.self) <= 1 else {
            throw ValidationError("--verbose, --quiet and --log-level exclude each other; keep one")
        }
    }

    /// The least level that is logged.
    var level: Logger.Level { logLevel ?? (verbose ? .debug : quiet ? .error : .info) }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
