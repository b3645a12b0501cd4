import BundleModel
import Foundation
import NIOCore
import NIOSSL
import Synchronization

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
        for folder in folders { try Self.checkReadable(folder) }
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

    private static func read(_ path: String) throws(BundleError) -> [NIOSSLCertificate] {
        try checkReadable(path)
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

    private static func checkReadable(_ path: String) throws(BundleError) {
        guard access(path, R_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw BundleError(
            .inputUnavailable,
            "the certificates in \(Printable.line(path)) can't be read: \(reason); correct the path, or the file's mode"
        )
    }
}

/// The client's side of TLS. The trusted certificates are read with the first connection that needs them.
///
/// Thread-safe.
final class TLSClient: Sendable {
    private let configuration: TLSConfiguration
    private let trust: TrustedCertificates
    private let context = Mutex<NIOSSLContext?>(nil)

    init(_ trust: TrustedCertificates) {
        self.trust = trust
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.shutdownTimeout = .seconds(1)
        configuration.applicationProtocols = ["http/1.1"]
        self.configuration = configuration
    }

    /// A handler for a connection to a host, which checks that the certificate is the host's.
    ///
    /// - Throws: ``/BundleModel/BundleError`` when the trusted certificates can't be read; NIOSSL's errors.
    func handler(for host: String) throws -> NIOSSLClientHandler {
        // An address isn't named in the handshake (RFC 6066 §3); the certificate has to be the connected address's.
        try NIOSSLClientHandler(context: prepared(), serverHostname: NetworkAddress(host) == nil ? host : nil)
    }

    private func prepared() throws -> NIOSSLContext {
        try context.withLock { context in
            if let context { return context }
            var configuration = configuration
            try trust.apply(to: &configuration)
            let made = try NIOSSLContext(configuration: configuration)
            context = made
            return made
        }
    }
}
