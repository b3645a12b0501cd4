import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// A stored response with its body, ready to be served.
struct CachedVariant: Sendable {
    let record: CachedResponse
    let response: StoredResponse
    let body: ByteSlice

    /// The stored response as a representation, with its current age.
    func representation(now: Date, _ status: CacheStatus) -> Representation {
        var fields = response.fields
        let age = response.ageField(now: now)
        fields[age.name] = age.value
        // The origin's own caches come first in the list (RFC 9211 §2).
        fields.append(HTTPField(name: .cacheStatus, value: status.fieldValue))
        return Representation(
            status: HTTPResponse.Status(code: response.status),
            mediaType: fields[.contentType],
            content: body,
            entityTag: fields[.eTag].flatMap { EntityTag($0) },
            lastModified: fields[.lastModified].flatMap { HTTPDate($0)?.date },
            fields: fields
        )
    }
}
