import BundleArchive
import BundleStore

/// A short document from a server.
package enum ReceivedDocument {
    /// The codings that can be undone, for `Accept-Encoding`.
    package static let acceptedCodings = [ContentCoding.zstandard, .gzip].map(\.token).joined(separator: ", ")

    /// Undoes the content coding of a document.
    ///
    /// - Parameters:
    ///   - bytes: What was received.
    ///   - contentEncoding: The value of `Content-Encoding`; nil when there is none.
    ///   - maximumByteCount: The longest document in bytes.
    ///   - name: The document's URL in errors.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when it can't be undone, or is too long.
    package static func content(
        of bytes: [UInt8],
        contentEncoding: String?,
        maximumByteCount: Int,
        named name: String
    ) throws(BundleError) -> [UInt8] {
        // x-gzip is the same (RFC 9110 §8.4.1.3).
        switch contentEncoding?.lowercased() {
        case nil, "", ContentCoding.identity.token: return bytes
        case ContentCoding.gzip.token, "x-gzip": return try decode(bytes, .gzip, maximumByteCount, name)
        case ContentCoding.zstandard.token: return try decode(bytes, .zstandard, maximumByteCount, name)
        case let other?:
            throw BundleError(
                .invalidFeed,
                "\(name) comes in the coding “\(Printable.line(other))”, which wasn't asked for; correct the server"
            )
        }
    }

    private static func decode(
        _ bytes: [UInt8],
        _ coding: ContentCoding,
        _ maximumByteCount: Int,
        _ name: String
    ) throws(BundleError) -> [UInt8] {
        do {
            let content = try CodedDocument.decode(bytes, from: coding, maximumByteCount: maximumByteCount)
            guard let content else {
                throw BundleError(.invalidFeed, "\(name) has over \(maximumByteCount) bytes; is it a feed?")
            }
            return content
        } catch let error as BundleError {
            throw error
        } catch {
            throw BundleError(
                .invalidFeed,
                "\(name), which comes in the coding \(coding.token), can't be decoded; check the server",
                cause: error
            )
        }
    }
}
