import BundleTransport

/// How this process reaches other hosts. A value type.
struct NetworkAccess: Sendable {
    /// Whose certificates are trusted.
    var trust = TrustedCertificates.system

    /// A network for the requests of a command.
    func transport() -> NIOTransport { NIOTransport(trust: trust) }
}
