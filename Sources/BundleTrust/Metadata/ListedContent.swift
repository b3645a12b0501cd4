import BundleModel
import Foundation

/// A document that a timestamp or a snapshot lists (4.4, METAFILES). A value type; safe to share between threads.
package struct ListedDocument: Sendable {
    /// The version.
    package let version: Int
    /// The length and the hashes, as far as they are given.
    package let content: SignedFile

    init(_ element: JSONElement) throws(BundleError) {
        version = try element.required("version").positiveInteger()
        content = try SignedFile(
            byteCount: element.member("length"),
            hashes: element.member("hashes")
        )
    }

    /// How many bytes are read at most: those that are signed, within the limit of the role.
    func byteCount(atMost limit: Int) -> Int { min(content.byteCount ?? limit, limit) }
}

/// What a timestamp says (4.6): which snapshot is the latest. A value type; safe to share between threads.
package struct TimestampContent: RoleContent {
    package static let type: ExactString = "timestamp"

    package let version: Int
    package let expiry: Date
    /// The latest snapshot.
    package let snapshot: ListedDocument
    /// When it was signed; nil where that isn't said, or it would be after the expiry, which nobody who signs means. It is no part of the
    /// specification, so that a document isn't refused for it.
    package let signedAt: Date?

    package init(_ signed: JSONElement) throws(BundleError) {
        version = try signed.required("version").positiveInteger()
        let expiry = try signed.required("expires").time()
        self.expiry = expiry
        snapshot = try ListedDocument(signed.required("meta").required("snapshot.json"))
        // Another program may have another use for the name.
        let time = try? signed.member("signedAt")?.time()
        signedAt = time.flatMap { $0 <= expiry ? $0 : nil }
    }
}

/// What a snapshot says (4.4): which versions of the documents with targets belong together. A value type; safe to share between
/// threads.
package struct SnapshotContent: RoleContent {
    package static let type: ExactString = "snapshot"

    package let version: Int
    package let expiry: Date
    /// The documents by their names, such as `targets.json`.
    package let documents: [ExactString: ListedDocument]

    package init(_ signed: JSONElement) throws(BundleError) {
        version = try signed.required("version").positiveInteger()
        expiry = try signed.required("expires").time()
        var documents: [ExactString: ListedDocument] = [:]
        for (name, element) in try signed.required("meta").members(atMost: TrustLimits.listedCount) {
            documents[ExactString(name)] = try ListedDocument(element)
        }
        self.documents = documents
    }

    /// The document of a role.
    ///
    /// - Throws: ``TrustError`` with `unlistedRole`.
    package func document(of role: RoleName) throws(TrustError) -> ListedDocument {
        guard let document = documents[ExactString(role.documentName)] else {
            throw TrustError(.unlistedRole, role.documentName, "isn't in the snapshot")
        }
        return document
    }
}
