import ArgumentParser
import BundleServer

extension SocketMode: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}
