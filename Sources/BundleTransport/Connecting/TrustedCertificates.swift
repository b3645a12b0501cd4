import BundleModel
import Foundation
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The authorities whose certificates a transport trusts: the system's, or others in their place, and further ones.
///
/// A value type; safe to share between threads.
public struct TrustedCertificates: Sendable {
    /// Those that the system trusts, and no others.
    public static let system = TrustedCertificates()

    /// Files and folders in place of the system's; none for the system's.
    private let replacements: [String]
    private let added: [NIOSSLCertificate]

    private init() {
        (replacements, added) = ([], [])
    }

    /// Reads the certificates that are added. Those in place of the system's are read with the first connection that
    /// needs them; if that fails, so does the connection, with the same errors.
    ///
    /// - Parameters:
    ///   - files: PEM files with the certificates of authorities that are trusted too.
    ///   - replacements: What is trusted in place of the system's certificates: PEM files, and folders whose files have
    ///     the names that `openssl rehash` gives them. None for the system's.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when one of `files` can't be read, and
    ///   `invalidArgument` when it has no certificate.
    public init(adding files: [String], replacingSystem replacements: [String] = []) throws(BundleError) {
        var added: [NIOSSLCertificate] = []
        for file in files { added += try Self.read(file) }
        self.added = added
        self.replacements = replacements
    }

    /// Makes a configuration trust these.
    ///
    /// - Throws: ``/BundleModel/BundleError`` when a replacement can't be read, or has no certificate.
    func apply(to configuration: inout TLSConfiguration) throws(BundleError) {
        var folders: [String] = []
        var certificates: [NIOSSLCertificate] = []
        for path in replacements {
            if Self.isFolder(path) { folders.append(path) } else { certificates += try Self.read(path) }
        }
        for folder in folders { try Self.checkReadable(folder, "the certificates") }
        // NIOSSL searches a single folder.
        for folder in folders.dropFirst() { certificates += Self.certificates(inFolder: folder) }
        if let folder = folders.first {
            configuration.trustRoots = .file(folder)
            configuration.additionalTrustRoots.append(.certificates(certificates))
        } else if !replacements.isEmpty {
            configuration.trustRoots = .certificates(certificates)
        }
        configuration.additionalTrustRoots.append(.certificates(added))
    }

    /// The certificates in a PEM file.
    ///
    /// - Throws: As ``init(adding:replacingSystem:)``.
    static func read(_ path: String) throws(BundleError) -> [NIOSSLCertificate] {
        try checkReadable(path, "the certificates")
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(path)) has no certificate in PEM, which begins with “-----BEGIN CERTIFICATE-----”; "
                    + "convert it with “openssl x509 -inform der -in FILE -out FILE.pem”"
            )
        }
        return certificates
    }

    /// Those in files with the names that `openssl rehash` gives: eight digits, a dot and a number.
    private static func certificates(inFolder path: String) -> [NIOSSLCertificate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let hashed = names.filter { name in
            let (hash, number) = (name.utf8.prefix { $0 != UInt8(ascii: ".") }, name.utf8.dropFirst(9))
            return hash.count == 8 && !number.isEmpty && number.allSatisfy(ASCII.isDigit)
        }
        return hashed.sorted().flatMap { (try? NIOSSLCertificate.fromPEMFile("\(path)/\($0)")) ?? [] }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// - Parameter content: What the file should hold, for the message.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when a file or a folder can't be read.
    static func checkReadable(_ path: String, _ content: String) throws(BundleError) {
        guard access(path, R_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw BundleError(
            .inputUnavailable,
            "\(content) in \(Printable.line(path)) can't be read: \(reason); correct the path, or the file's mode"
        )
    }
}
