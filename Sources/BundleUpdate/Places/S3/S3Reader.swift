import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// Reads the files of a place in a bucket. Safe to share between threads.
package struct S3Reader: PlaceReader {
    private let client: S3Client

    package init(_ client: S3Client) { self.client = client }

    package func reads(_ url: URL) -> Bool { url.scheme?.lowercased() == "s3" }

    /// Responds to a GET: with the store's 200, 206, 304, 412, 416, or one that says that it is asked too much; with 404 also for the 403
    /// of a file other than the feed, since a store responds so for an absent file to those who may not list.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the store can't be reached or refuses the request, or the
    ///   URL isn't below the place.
    package func response(for url: URL, fields: HTTPFields) async throws -> OriginResponse {
        guard let key = client.location.key(of: url) else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) isn't in \(client.location), and isn't read; correct the feed"
            )
        }
        let request = S3Request(.get, key, fields: Self.conditions(of: fields))
        let response = try await client.send(request)
        switch response.head.status.code {
        // No If-Range was sent, which some stores ignore: then they respond with a range of another file.
        case 412 where request.fields[.ifMatch] != nil:
            var whole = request
            (whole.fields[.range], whole.fields[.ifMatch]) = (nil, nil)
            return try await checked(try await client.send(whole), key, url)
        default: return try await checked(response, key, url)
        }
    }

    /// The fields of the request to the store.
    private static func conditions(of fields: HTTPFields) -> HTTPFields {
        var conditions: HTTPFields = [:]
        conditions[.ifNoneMatch] = fields[.ifNoneMatch]
        conditions[.ifModifiedSince] = fields[.ifModifiedSince]
        // Several ranges get the whole file, as a server may do (RFC 9110 §14.2).
        guard let range = fields[.range], !range.contains(",") else { return conditions }
        if let condition = fields[.ifRange] {
            // A date, or a weak tag, doesn't tell that the bytes are the same (RFC 9110 §13.1.5).
            guard EntityTag(condition)?.isWeak == false else { return conditions }
            conditions[.ifMatch] = condition
        }
        conditions[.range] = range
        return conditions
    }

    private func checked(_ response: OriginResponse, _ key: String, _ url: URL) async throws -> OriginResponse {
        switch response.head.status.code {
        case 200, 206, 304, 412, 416, 429, 503: return response
        default: break
        }
        var body: [UInt8] = []
        for try await chunk in response.body {
            body += chunk
            if body.count > S3Failure.maximumByteCount { break }
        }
        let failure = S3Failure(response.head, body: body)
        if failure.isAbsence || failure.isDenial && url != client.location.feedURL {
            return OriginResponse(head: HTTPResponse(status: .notFound), body: BodyStream([]))
        }
        throw client.failure(failure, at: key)
    }
}
