import ArgumentParser

/// The `hybrid-shell` command.
@main
struct HybridShellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hybrid-shell",
        abstract: "Show a bundle in a window, with the origin that it has on the web, online and offline.",
        discussion: "Example: hybrid-shell --store ~/.local/share/bundlectl shop"
    )

    @OptionGroup var options: Options

    func run() throws {
        try MainActor.assumeIsolated { try Shell.run(options) }
    }
}
