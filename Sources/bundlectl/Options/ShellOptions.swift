import ArgumentParser
import BundleStore

/// What shows the bundles.
struct ShellOptions: ParsableArguments {
    @Option(
        name: .customLong("shell-version"),
        help: ArgumentHelp(
            "The version of the shell that shows the bundles. Without it, a release that needs a certain one isn't installed.",
            valueName: "version"
        )
    )
    var version: BundleVersion?
}
