import BundleStore
import BundleTransport
import BundleUpdate
import Foundation

/// A file with what private hosts want to see, by origin:
///
/// ```json
/// {"https://get.example.com": {"authorization": "Bearer …"},
///  "https://files.example.com": {"header": {"name": "X-Token", "value": "…"}},
///  "https://certified.example.com": {"certificate": "device.pem", "key": "device.key"}}
/// ```
struct CredentialsFile: Sendable {
    /// The variable that names the file when no option does.
    static let variable = "BUNDLECTL_CREDENTIALS_FILE"
    /// Far more than anyone has.
    static let maximumByteCount = 1 << 20

    /// The members of an origin.
    private enum Key: String, CaseIterable {
        case authorization, header, certificate, key
    }

    /// The fields to send.
    private(set) var fields = FeedCredentials.none
    /// The certificates to show.
    private(set) var identities: [ClientIdentity] = []

    /// None.
    init() {}

    /// Reads the file, and those of the certificates that it names: their paths are absolute, or start at the file's folder.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when one of them can't be read, `invalidArgument` when others can
    ///   read it or a key, or it has another form. The message has no secret.
    init(_ path: String) throws(BundleError) {
        let shown = Printable.line(path)
        let bytes = try SecretFile.bytes(of: path, atMost: Self.maximumByteCount)
        let root = try JSONElement(
            parsing: bytes,
            named: shown,
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidArgument
        )
        var named: [String: [String: String]] = [:]
        for (text, element) in try root.members() {
            let origin: CredentialOrigin
            do { origin = try CredentialOrigin(text) } catch { throw error.located(at: shown) }
            if let stranger = try element.members().first(where: { Key(rawValue: $0.key) == nil }) {
                throw stranger.element.refused(
                    "this key is not known; use authorization, header, or certificate and key"
                )
            }
            guard element.count > 0 else {
                throw element.refused("says nothing; name a credential, or remove the origin")
            }
            named[text] = try Self.headers(of: element)
            if let identity = try Self.identity(of: element, for: origin, at: path) { identities.append(identity) }
        }
        do {
            fields = try FeedCredentials(fields: named.filter { !$0.value.isEmpty })
        } catch {
            throw error.located(at: shown)
        }
    }

    private static func headers(of element: JSONElement) throws(BundleError) -> [String: String] {
        var headers: [String: String] = [:]
        if let value = try element.member(Key.authorization.rawValue) { headers["Authorization"] = try value.string() }
        if let header = try element.member(Key.header.rawValue) {
            headers[try header.required("name").string()] = try header.required("value").string()
        }
        return headers
    }

    private static func identity(
        of element: JSONElement,
        for origin: CredentialOrigin,
        at path: String
    ) throws(BundleError) -> ClientIdentity? {
        let certificate = try element.member(Key.certificate.rawValue)
        let key = try element.member(Key.key.rawValue)
        guard certificate != nil || key != nil else { return nil }
        guard let certificate = try certificate?.string(), let key = try key?.string() else {
            throw element.refused("a certificate needs its key, and a key its certificate")
        }
        guard origin.isSecure else { throw element.refused("a certificate is shown over https only") }
        let folder = URL(filePath: path).deletingLastPathComponent()
        let keyPath = URL(filePath: key, relativeTo: folder).path
        _ = try SecretFile.bytes(of: keyPath, atMost: maximumByteCount)
        return try ClientIdentity(
            certificate: URL(filePath: certificate, relativeTo: folder).path,
            key: keyPath,
            host: origin.host,
            port: origin.port
        )
    }
}
