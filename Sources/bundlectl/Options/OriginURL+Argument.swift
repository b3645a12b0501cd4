import ArgumentParser
import BundleStore

extension OriginURL: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        try? self.init(argument)
    }
}
