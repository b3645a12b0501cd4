/// The paths of a server's certificate and its private key. A value type; safe to share between threads.
public struct TLSFiles: Sendable, Hashable {
    /// A PEM file with the server's certificate first, followed by the chain to one that clients trust.
    public let certificate: String
    /// A PEM file with the certificate's private key, without a passphrase.
    public let key: String

    /// Both may name the same file. The paths aren't checked here.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
