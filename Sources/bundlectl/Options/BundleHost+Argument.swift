import ArgumentParser
import BundleServing

extension BundleHost: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}
