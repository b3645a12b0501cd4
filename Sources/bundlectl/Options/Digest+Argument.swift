import ArgumentParser
import BundleStore

extension Digest: ExpressibleByArgument {
    /// Reads a SHA-256 from the command line: 64 hexadecimal digits.
    public init?(argument: String) {
        self.init(hex: argument)
    }
}
