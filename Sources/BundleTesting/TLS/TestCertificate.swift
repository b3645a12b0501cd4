/// A certificate for localhost and 127.0.0.1 that only tests trust, and its key, in PEM files.
public struct TestCertificate: Sendable {
    /// The path of the certificate, which is self-signed.
    public let certificate: String
    /// The path of its key.
    public let key: String

    /// The output of openssl.
    public struct Failure: Error {
        let message: String
    }

    /// Makes one with the real openssl, valid for two days from now.
    ///
    /// - Parameter name: The prefix of the files' names.
    public static func make(_ name: String, in folder: TemporaryDirectory) async throws -> TestCertificate {
        let made = TestCertificate(
            certificate: folder.path(of: "\(name)-certificate.pem"),
            key: folder.path(of: "\(name)-key.pem")
        )
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", made.key, "-out", made.certificate,
        ]
        let result = try await ChildProcess.run("openssl", arguments)
        guard result.exitCode == 0 else { throw Failure(message: result.errorOutput) }
        return made
    }
}
