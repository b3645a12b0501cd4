import ArgumentParser
import Foundation

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
        #if HybridShell
            try MainActor.assumeIsolated { try Shell.run(options) }
        #else
            // EX_UNAVAILABLE of sysexits.h
            FileHandle.standardError.write(
                Data(
                    "hybrid-shell: built without WebKitGTK; build it with “swift build --traits default,HybridShell”\n"
                        .utf8
                )
            )
            throw ExitCode(69)
        #endif
    }
}
