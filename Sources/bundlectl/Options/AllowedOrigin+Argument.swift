import ArgumentParser
import BundleServer

extension AllowedOrigin: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}
