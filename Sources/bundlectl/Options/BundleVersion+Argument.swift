import ArgumentParser
import BundleStore

extension BundleVersion: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}
