import ArgumentParser
import BundleStore

/// The name and version of an archive without a manifest.
struct NamingOptions: ParsableArguments {
    @Option(help: "For an archive without a manifest: the bundle's name.")
    var name: BundleName?

    @Option(help: "For an archive without a manifest: the release's version.")
    var version: BundleVersion?

    func validate() throws {
        guard (name == nil) == (version == nil) else {
            throw ValidationError(
                "--name and --version go together; give both, such as --name docs --version 3, or neither"
            )
        }
    }

    /// The name and version, or nil when they aren't given.
    var release: (name: BundleName, version: BundleVersion)? {
        guard let name, let version else { return nil }
        return (name, version)
    }
}
