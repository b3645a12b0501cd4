import ArgumentParser
import BundleServer

extension ListenAddress: ExpressibleByArgument {
    /// Reads it as ``init(_:)`` does, and `8080` and `:8080` as a port of this machine alone.
    public init?(argument: String) {
        let port = argument.hasPrefix(":") ? argument : ":\(argument)"
        guard let address = Self(argument) ?? Self("127.0.0.1\(port)") else { return nil }
        self = address
    }
}
