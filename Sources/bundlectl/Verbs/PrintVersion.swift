import ArgumentParser
import BundleStore

/// `bundlectl --version`, which only stands alone: `install --version` is the version of a release.
struct PrintVersion: ParsableCommand {
    func run() throws { try StandardStreams.write("bundlectl \(ProductVersion.string)\n") }
}
