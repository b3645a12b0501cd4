import BundleStore
import BundleTrust
import Foundation
import HTTPTypes

/// The documents that a publisher has signed, beside the feed: on its server, or in its folder. A value type; safe to share between
/// threads.
struct FeedMetadata: MetadataRepository {
    /// The feed's URL.
    let feed: URL
    /// Fetches the documents.
    let document: OriginDocument

    /// Fetches a document.
    ///
    /// - Returns: Nil for what isn't there.
    /// - Throws: As ``OriginDocument/document(at:conditions:limit:)``.
    func document(_ request: MetadataRequest) async throws -> [UInt8]? {
        guard let url = URL(string: request.fileName, relativeTo: feed)?.absoluteURL else { return nil }
        do {
            let (response, _) = try await document.document(at: url, limit: request.maximumByteCount)
            guard case .content(let bytes, _) = response else { return nil }
            return bytes
        } catch let error as BundleError where error.isAbsence {
            return nil
        }
    }
}

extension BundleError {
    /// Servers of files have 403 for what isn't there where nobody may list them.
    private static let absences = [403, 404, 410]

    /// Whether a server or a folder is there, and hasn't the file.
    var isAbsence: Bool {
        switch cause {
        case let response as UnexpectedResponse: Self.absences.contains(response.head.status.code)
        case is AbsentFile: true
        default: false
        }
    }
}
