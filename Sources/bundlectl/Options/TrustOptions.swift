import ArgumentParser
import BundleStore
import BundleUpdate

/// Whether what is installed has to be signed.
struct TrustOptions: ParsableArguments {
    static let options = [requireTrust]

    private static let requireTrust = ConfigurableOption.flag(
        "require-trust",
        "Install nothing that its publisher hasn't signed, also of bundles whose feed was never trusted before."
    )
    @Flag(Self.requireTrust) var requireTrust = false

    /// Sets what was given.
    func apply(to configuration: inout Updater.Configuration) {
        configuration.requiresTrust = requireTrust
    }
}

/// The SHA-256 of a publisher's first root, as `keys show` prints it: `sha256:` and 64 hexadecimal digits.
struct RootDigest: ExpressibleByArgument {
    private static let prefix = "sha256:"

    let digest: Digest

    init?(argument: String) {
        guard argument.hasPrefix(Self.prefix), let digest = Digest(hex: String(argument.dropFirst(Self.prefix.count)))
        else { return nil }
        self.digest = digest
    }
}
