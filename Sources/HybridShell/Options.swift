import ArgumentParser
import OfflineBundles

/// What the command line says.
struct Options: ParsableArguments {
    @Option(help: "The store's folder.", completion: .directory)
    var store: String

    @Argument(help: "The bundle to open.", transform: Options.bundleName)
    var name: BundleName

    @Option(
        help: "The folder of cookies and local storage. Default: hybrid-shell/NAME in the XDG data folder.",
        completion: .directory
    )
    var data: String?

    @Option(help: "The folder of downloads. Default: that of the user.", completion: .directory)
    var downloads: String?

    @Flag(help: "Kiosk mode: the whole screen, without controls and context menus; updates are shown at once.")
    var fullscreen = false

    @Flag(help: "Open bundle://NAME/ in place of the bundle's https origin.")
    var scheme = false

    @Option(help: "The seconds between two checks for an update; 0 for none.")
    var updateInterval = 3_600

    @Flag(help: "Let WebDriver control the window, for tests.")
    var automation = false

    func validate() throws {
        guard (0...31_536_000).contains(updateInterval) else {
            throw ValidationError("--update-interval takes 0 to 31536000 seconds")
        }
    }

    private static func bundleName(_ text: String) throws -> BundleName {
        guard let name = BundleName(text) else { throw ValidationError("“\(text)” isn't a bundle's name") }
        return name
    }
}

/// Why the shell can't start, and what to do.
struct ShellFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
