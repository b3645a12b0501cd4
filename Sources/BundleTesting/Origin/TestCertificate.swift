import Crypto
import Foundation
import NIOSSL
import SelfSignedCertificates

/// A certificate that only tests trust, and its key, in PEM files.
package struct TestCertificate: Sendable {
    /// The path of the certificate, which is self-signed.
    package let certificate: String
    /// The path of its key.
    package let key: String

    /// Makes one that is valid for two days from now.
    ///
    /// - Parameters:
    ///   - name: Its subject, and what the files' names begin with.
    ///   - hosts: The names and addresses that it is for.
    /// - Throws: Foundation's error when a file can't be written.
    package static func make(
        _ name: String,
        for hosts: [String] = ["localhost", "127.0.0.1"],
        in folder: TemporaryDirectory
    ) throws -> TestCertificate {
        let key = P256.Signing.PrivateKey()
        let text = try SelfSignedCertificate.pem(subject: name, hosts: hosts, validFrom: Date(), days: 2, key: key)
        return TestCertificate(
            certificate: try folder.write(text, to: "\(name)-certificate.pem"),
            key: try folder.write(key.pemRepresentation + "\n", to: "\(name)-key.pem")
        )
    }
}

extension TestCertificate {
    /// What a server needs for connections with this certificate.
    ///
    /// - Parameter client: The certificate that clients have to show; nil for none.
    package func serverContext(requiring client: TestCertificate? = nil) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: key, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain,
            privateKey: .privateKey(key)
        )
        if let client {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .file(client.certificate)
        }
        return try NIOSSLContext(configuration: configuration)
    }
}
