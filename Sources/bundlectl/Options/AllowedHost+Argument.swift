import ArgumentParser
import BundleServer
import BundleStore

extension AllowedHost: ExpressibleByArgument {
    /// Reads it from the command line. A port is left out, as any is accepted: the server's refusal quotes `Host`, which has
    /// one.
    public init?(argument: String) {
        guard let url = try? HTTPURL("http://\(argument)"), url.endsWithAuthority else {
            self.init(argument)
            return
        }
        self.init(url.host)
    }
}
