import ArgumentParser
import BundleServer

extension AllowedHost: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}
