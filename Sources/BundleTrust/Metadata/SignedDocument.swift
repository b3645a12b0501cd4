import BundleModel
import Foundation

/// A document as received (4.2.1): what is signed, and the signatures. Nothing of it is trusted before a ``RoleAuthority`` has
/// verified it.
package struct SignedDocument: Sendable {
    /// The document's name in messages.
    let name: String
    /// The canonical form of all that was received as signed, with members that nobody here knows.
    package let payload: [UInt8]
    /// The signatures by the names of their keys, each of which occurs once. One that isn't hexadecimal digits is empty, and vouches
    /// for nothing.
    package let signatures: [(keyName: ExactString, signature: [UInt8])]

    private let signed: JSONElement

    /// Parses a document.
    ///
    /// - Throws: ``TrustError`` with `tooLarge` or `invalidMetadata`.
    package init(parsing bytes: [UInt8], of role: RoleName, atMost maximumByteCount: Int) throws(TrustError) {
        let name = role.documentName
        guard bytes.count <= maximumByteCount else {
            throw TrustError(.tooLarge, name, "has \(bytes.count) bytes; the limit is \(maximumByteCount)")
        }
        self.name = name
        do {
            let document = try JSONElement(
                parsing: bytes,
                named: name,
                maximumByteCount: maximumByteCount,
                refusedAs: .invalidFeed
            )
            signed = try document.required("signed")
            signatures = try Self.signatures(document.required("signatures"))
        } catch {
            throw TrustError(invalid: error, in: name)
        }
        do {
            payload = try CanonicalJSON.bytes(of: signed.value)
        } catch {
            throw TrustError(.invalidMetadata, name, "\(error)", cause: error)
        }
    }

    /// What is signed, as the content of a kind of role.
    ///
    /// - Throws: ``TrustError`` with `wrongRole`, `unsupportedSpecification` or `invalidMetadata`.
    package func content<Content: RoleContent>(as _: Content.Type = Content.self) throws(TrustError) -> Content {
        do {
            let type = try signed.required("_type").string()
            guard ExactString(type) == Content.type else {
                throw refused(.wrongRole, "is of the role “\(Printable.text(type))” and not “\(Content.type)”")
            }
            let version = try signed.required("spec_version").text(atMost: 64)
            // A minor version adds what clients may ignore.
            guard version.utf8.starts(with: "1.".utf8) else {
                throw refused(.unsupportedSpecification, "is of version \(Printable.text(version)) of TUF; 1 is known")
            }
            return try Content(signed)
        } catch let error as BundleError {
            throw TrustError(invalid: error, in: name)
        } catch let error as TrustError {
            throw error
        } catch {
            throw refused(.invalidMetadata, "\(error)")
        }
    }

    /// An error about the document.
    func refused(_ code: TrustError.Code, _ problem: String) -> TrustError { TrustError(code, name, problem) }

    private static func signatures(
        _ list: JSONElement
    ) throws(BundleError) -> [(keyName: ExactString, signature: [UInt8])] {
        var signatures: [(keyName: ExactString, signature: [UInt8])] = []
        var names: Set<ExactString> = []
        for element in try list.elements(atMost: TrustLimits.signatureCount) {
            let name = try element.required("keyid").keyName()
            guard names.insert(name).inserted else {
                throw element.refused("is a second signature of the key “\(Printable.text(name.string))”")
            }
            let digits = try element.required("sig").text(atMost: TrustLimits.signatureByteCount)
            signatures.append((name, Hexadecimal.bytes(of: digits) ?? []))
        }
        return signatures
    }
}

/// What a kind of role says.
package protocol RoleContent: Sendable {
    /// The value of `_type`.
    static var type: ExactString { get }
    /// The version, at least 1.
    var version: Int { get }
    /// When its life is over.
    var expiry: Date { get }

    /// Reads what is signed.
    ///
    /// - Throws: `BundleError` when it breaks the format.
    init(_ signed: JSONElement) throws(BundleError)
}

extension RoleContent {
    /// Checks that the life isn't over at `now`, which is a freeze attack otherwise.
    ///
    /// - Throws: ``TrustError`` with `expired`.
    func checkExpiry(of role: RoleName, at now: Date) throws(TrustError) {
        guard expiry > now else {
            throw TrustError(
                .expired,
                role.documentName,
                // The day alone, so that a journal has the same of later checks.
                "has expired on \(expiry.formatted(.iso8601)), and it is \(now.formatted(.iso8601.year().month().day()))"
            )
        }
    }
}

extension TrustError {
    /// The same problem of a document, whose name the message begins with.
    fileprivate init(invalid error: BundleError, in name: String) {
        let prefix = "\(Printable.text(name)): "
        let problem = error.problem.hasPrefix(prefix) ? String(error.problem.dropFirst(prefix.count)) : error.problem
        self.init(.invalidMetadata, name, problem, cause: error)
    }
}
