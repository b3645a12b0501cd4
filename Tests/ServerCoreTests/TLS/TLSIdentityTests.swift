import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import ServerCore

@Suite("A certificate and its key")
struct TLSIdentityTests {
    @Test("are read from two files, or from one that has both")
    func read() async throws {
        try await withCertificates { first, _, folder in
            _ = try TLSIdentity(TLSFiles(certificate: first.certificate, key: first.key))
            let both =
                try String(contentsOfFile: first.certificate, encoding: .utf8)
                + String(contentsOfFile: first.key, encoding: .utf8)
            let file = try folder.write(both, to: "both.pem")
            _ = try TLSIdentity(TLSFiles(certificate: file, key: file))
        }
    }

    @Test("that can't be used are refused with the setting and the file to correct")
    func refused() async throws {
        try await withCertificates { first, second, folder in
            let text = try folder.write("no certificate", to: "text.pem")
            let large = try folder.write([UInt8](repeating: 10, count: 2 << 20), to: "large.pem")
            let missing = folder.path(of: "missing.pem")
            let cases: [(certificate: String, key: String, setting: Remedy.Setting, file: String)] = [
                (missing, first.key, .certificate, missing), (first.certificate, missing, .certificateKey, missing),
                (text, first.key, .certificate, text), (first.certificate, text, .certificateKey, text),
                (large, first.key, .certificate, large),
                (folder.path, first.key, .certificate, folder.path),
                (first.key, first.key, .certificate, first.key),
                (first.certificate, first.certificate, .certificateKey, first.certificate),
                (first.certificate, second.key, .certificate, second.key),
            ]
            for (certificate, key, setting, file) in cases {
                let error = #expect(throws: BundleError.self) {
                    try TLSIdentity(TLSFiles(certificate: certificate, key: key))
                }
                // What can't be read, or is far too long for a certificate.
                let isUnread = [missing, large, folder.path].contains(file)
                #expect(error?.code == (isUnread ? .inputUnavailable : .invalidArgument))
                guard case .change(setting, _) = error?.remedy else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(error?.message.contains(file) == true)
            }
        }
    }

    /// Written by `openssl ec -aes256 -passout pass:secret`.
    private static let lockedKey = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,40F1691CBA22B2228F07F5EF758020CB

        36kE2RpmZ622b/zhiCxUX+YGxII5T7lxD8ZANAXKDq/mwsWMAbJ9auwOKahh5nlO
        hBKMI6H8tOiBMscyt/ZuL1kDizGJUvcniLyHsc6Xhk3LZ4vMf2vCJOLovpPSRdA1
        HcmswqIS6fnaV0Qz6ipe/TM6agFvloWLf1IayP5Qndk=
        -----END EC PRIVATE KEY-----

        """

    @Test("with a passphrase are refused without a prompt")
    func passphrase() async throws {
        try await withCertificates { first, _, folder in
            let locked = try folder.write(Self.lockedKey, to: "locked.pem")
            let error = #expect(throws: BundleError.self) {
                try TLSIdentity(TLSFiles(certificate: first.certificate, key: locked))
            }
            #expect(error?.message.contains("passphrase") == true)
        }
    }

    @Test("are also used outside the certificate's validity, with a warning")
    func validity() async throws {
        try await withCertificates { first, _, _ in
            let identity = try TLSIdentity(TLSFiles(certificate: first.certificate, key: first.key))
            let now = Date()
            #expect(identity.warning(at: now) == nil)
            #expect(identity.warning(at: now + 3 * 86_400)?.contains("has expired") == true)
            #expect(identity.warning(at: now - 86_400)?.contains("isn't valid yet") == true)
        }
    }
}

/// Makes two certificates in a folder, and removes it.
func withCertificates(
    _ body: (_ first: TestCertificate, _ second: TestCertificate, TemporaryDirectory) async throws -> Void
) async throws {
    try await withTemporaryDirectory { folder in
        let first = try TestCertificate.make("first", in: folder)
        let second = try TestCertificate.make("second", in: folder)
        try await body(first, second, folder)
    }
}
