import ArgumentParser
import BundleStore

/// The `bundlectl` command. Each verb gives its name, although it could be derived from its type: deriving all names
/// takes longer than most verbs.
struct BundleCtl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundlectl",
        abstract: "Install, serve and update bundles of web assets, offline first.",
        discussion: """
            bundlectl --version prints the program's version.

            The store is the folder given by --store, else by BUNDLECTL_STORE, else bundlectl in the XDG data folder.

            Example:
              bundlectl install shop-1.0.0.zip && bundlectl serve --mount shop=/

            EXIT STATUS:
            \(ExitStatus.table)
              130 interrupted by Ctrl-C (serve: 0)
              143 interrupted by SIGTERM (serve: 0)
            """,
        subcommands: [
            Install.self, List.self, Show.self, Resolve.self, Serve.self, Check.self, Update.self, Schedule.self,
            Activate.self, Rollback.self, MarkGood.self, MarkBad.self, Hold.self, Unhold.self, Trust.self,
            Installation.self, History.self, Pin.self, Unpin.self, Remove.self, Prune.self, Quota.self, Verify.self,
            Doctor.self, Export.self, Init.self, Pack.self, Publish.self, Mirror.self, KeysGroup.self, FeedGroup.self,
            Cache.self, Network.self, Stats.self,
        ]
    )

    /// The verb of a command line without the program's name.
    ///
    /// The parser's own `--version` isn't used: where the command line of a verb that has a `--version` is wrong, it
    /// would print this program's version, and succeed.
    ///
    /// - Parameter environment: The variables; some are options of `serve`.
    static func verb(of arguments: [String], environment: [String: String] = [:]) throws -> any ParsableCommand {
        guard arguments != ["--version"] else { return PrintVersion() }
        guard arguments.first == Serve._commandName else { return try parseAsRoot(arguments) }
        let invocation = ServeInvocation(arguments: Array(arguments.dropFirst()), environment: environment)
        return invocation.isPlain
            ? try parseAsRoot(arguments) : try invocation.command(try invocation.settings())
    }
}

/// `bundlectl --version`, which only stands alone: `install --version` is the version of a release.
struct PrintVersion: ParsableCommand {
    func run() throws { try StandardStreams.write("bundlectl \(ProductVersion.string)\n") }
}
