import ArgumentParser
import BundleInstall
import BundleNetwork
import BundlePublishing
import BundleServer
import BundleServing
import BundleStore
import BundleUpdate

/// What has the same form on the command line as elsewhere.
protocol TextArgument: ExpressibleByArgument {
    /// Nil for another form.
    init?(_ text: String)
}

extension TextArgument {
    /// Reads it from the command line.
    public init?(argument: String) { self.init(argument) }
}

extension AllowedOrigin: TextArgument {}
extension BundleHost: TextArgument {}
extension BundleName: TextArgument {}
extension BundleVersion: TextArgument {}
extension IgnorePattern: TextArgument {}
extension Mount: TextArgument {}
extension SocketMode: TextArgument {}

extension Digest: ExpressibleByArgument {
    /// Reads a SHA-256 from the command line: 64 hexadecimal digits.
    public init?(argument: String) {
        self.init(hex: argument)
    }
}

extension OriginURL: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        try? self.init(argument)
    }
}

extension Rollout: ExpressibleByArgument {
    /// Reads `10%`, `12.5%`, or a number of percent alone.
    public init?(argument: String) {
        let number = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
        // Double reads exponents, hexadecimal digits and names of no number too.
        guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let percent = Double(number)
        else { return nil }
        self.init(percent: percent)
    }
}

extension ListenAddress: ExpressibleByArgument {
    /// Reads it as ``init(_:)`` does, and `8080` and `:8080` as a port of this machine alone.
    public init?(argument: String) {
        let port = argument.hasPrefix(":") ? argument : ":\(argument)"
        guard let address = Self(argument) ?? Self("127.0.0.1\(port)") else { return nil }
        self = address
    }
}

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

extension AccessLogFormat: ExpressibleByArgument {}
