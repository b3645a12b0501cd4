import ArgumentParser
import BundleStore

/// `NAME@VERSION` on the command line.
struct ReleaseReference: ExpressibleByArgument, Equatable {
    let name: BundleName
    let version: BundleVersion

    init?(argument: String) {
        guard let reference = BundleReference(argument: argument), let version = reference.version else { return nil }
        name = reference.name
        self.version = version
    }
}
