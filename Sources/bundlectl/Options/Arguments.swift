import ArgumentParser
import BundleInstall
import BundleNetwork
import BundlePublishing
import BundleServer
import BundleServing
import BundleStore
import BundleUpdate

extension BundleName: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}

extension BundleVersion: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}

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

extension IgnorePattern: ExpressibleByArgument {
    /// Nil for an empty pattern, and for a comment.
    public init?(argument: String) { self.init(argument) }
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

extension Mount: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}

extension BundleHost: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
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

extension SocketMode: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
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

extension AllowedOrigin: ExpressibleByArgument {
    /// Reads it from the command line.
    public init?(argument: String) {
        self.init(argument)
    }
}

extension AccessLogFormat: ExpressibleByArgument {}
