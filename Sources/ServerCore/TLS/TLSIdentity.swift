import BundleModel
import Foundation
import NIOSSL
import Synchronization
import SystemPackage

#if os(Linux)
    // The compiler takes `timespec` from the first module with that type that it loads, in a release build from this one.
    import CEpoll
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A certificate with its key, as read from its files, ready for connections. Immutable; safe to share.
package struct TLSIdentity: Sendable {
    /// For TLS 1.2 and later, and HTTP/2 before HTTP/1.1 (RFC 7301).
    let context: NIOSSLContext
    /// The stamps of its files, taken before they were read.
    let stamps: [FileStamp?]

    /// For TLS 1.2: suites with forward secrecy that HTTP/2 doesn't forbid (RFC 9113 §9.2.2, Appendix A), which are
    /// those that RFC 9325 §4.2 recommends. All suites of TLS 1.3 meet this.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    private let validity: ClosedRange<Date>
    private let path: String

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` that names the file that can't be read or is
    ///   invalid.
    package init(_ files: TLSFiles) throws(BundleError) {
        // Before the files are read: a change in between is detected at the next check.
        stamps = Self.stamps(of: files)
        let chain = try Self.chain(files)
        let key = try Self.key(files)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.cipherSuites
        configuration.applicationProtocols = ["h2", "http/1.1"]
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw Self.error(
                "the key in \(Printable.text(files.key)) isn't the certificate's",
                files.certificate,
                error
            )
        }
        path = files.certificate
        validity = Self.validity(of: chain)
    }

    /// When the server's certificate in a file is valid.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` or `invalidArgument` when it can't be read.
    package static func validity(ofCertificate path: String) throws(BundleError) -> ClosedRange<Date> {
        validity(of: try chain(TLSFiles(certificate: path, key: path)))
    }

    /// The current state of the files; nil for one that doesn't exist.
    static func stamps(of files: TLSFiles) -> [FileStamp?] { [FileStamp(files.certificate), FileStamp(files.key)] }

    /// A description of what clients will reject; nil if nothing.
    func warning(at now: Date) -> String? {
        if now > validity.upperBound {
            return "the certificate in \(Printable.text(path)) has expired; clients refuse it until it is renewed"
        }
        if now < validity.lowerBound {
            return "the certificate in \(Printable.text(path)) isn't valid yet; look at the clock of this machine"
        }
        return nil
    }

    private static func chain(_ files: TLSFiles) throws(BundleError) -> [NIOSSLCertificate] {
        let file = try PEMFile(files.certificate, "certificate", .certificate)
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(file.bytes)
            if !chain.isEmpty { return chain }
        } catch {
            throw self.error("it has no certificate in PEM form", files.certificate, error)
        }
        throw error("it has no certificate in PEM form", files.certificate, nil)
    }

    private static func key(_ files: TLSFiles) throws(BundleError) -> NIOSSLPrivateKey {
        let file = try PEMFile(files.key, "key", .certificateKey)
        do {
            // BoringSSL would ask for a passphrase on the terminal.
            return try NIOSSLPrivateKey(bytes: file.bytes, format: .pem) { setter in setter([UInt8]()) }
        } catch {
            throw BundleError(
                .invalidArgument,
                "the key \(Printable.text(files.key)): it has no private key in PEM form, or one with a passphrase",
                .change(.certificateKey, "name a key without one"),
                cause: error
            )
        }
    }

    /// When the server's own certificate is valid; a chain begins with it (RFC 8446 §4.4.2).
    private static func validity(of chain: [NIOSSLCertificate]) -> ClosedRange<Date> {
        guard let own = chain.first else { return .distantPast ... .distantFuture }
        let start = Date(timeIntervalSince1970: TimeInterval(own.notValidBefore))
        return start...max(start, Date(timeIntervalSince1970: TimeInterval(own.notValidAfter)))
    }

    private static func error(_ text: String, _ path: String, _ cause: (any Error)?) -> BundleError {
        BundleError(
            .invalidArgument,
            "the certificate \(Printable.text(path)): \(text)",
            .change(.certificate, "name the PEM files of one certificate and its key"),
            cause: cause
        )
    }
}

/// The identity for new connections; open ones keep theirs. Thread-safe.
package final class TLSIdentitySource: Sendable {
    private let identity: Mutex<TLSIdentity>

    package init(_ identity: TLSIdentity) {
        self.identity = Mutex(identity)
    }

    var current: TLSIdentity { identity.withLock { $0 } }

    func replace(with identity: TLSIdentity) {
        self.identity.withLock { $0 = identity }
    }
}

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

/// The contents of a PEM file.
struct PEMFile {
    let bytes: [UInt8]

    /// No certificate chain is nearly as long.
    private static let maximumByteCount = 1 << 20

    /// - Parameters:
    ///   - kind: What the file should hold, for messages: “certificate”.
    ///   - setting: The setting that names the file.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read.
    init(_ path: String, _ kind: String, _ setting: Remedy.Setting) throws(BundleError) {
        do {
            // A pipe would block the server.
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            bytes = try file.closeAfter { try Self.read(file) }
        } catch {
            throw BundleError(
                .inputUnavailable,
                "could not read the \(kind) \(Printable.text(path)): \(error)",
                .change(setting, "name a PEM file that the server may read"),
                cause: error
            )
        }
    }

    private static func read(_ file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { part.deallocate() }
        while bytes.count <= maximumByteCount {
            let count = try file.read(into: part)
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
        throw Errno.fileTooLarge
    }
}

/// Detects that a file was replaced or written to. Symbolic links are followed, because tools that renew certificates
/// change them.
struct FileStamp: Equatable, Sendable {
    private let device: DeviceID
    private let inode: Inode
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns nil when there is no such file.
    init?(_ path: String) {
        guard let status = try? FilePath(path).stat() else { return nil }
        device = status.deviceID
        inode = status.inode
        size = status.size
        seconds = Int(status.st_mtim.tv_sec)
        nanoseconds = Int(status.st_mtim.tv_nsec)
    }
}
