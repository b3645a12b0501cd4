import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// A stored response with its body, ready to be served.
struct CachedVariant: Sendable {
    let record: CachedResponse
    let response: StoredResponse
    let body: ByteSlice
    /// Fields that came with the response and aren't stored, for the client whose request fetched or confirmed it, see
    /// ``CachePolicy/fieldsPassedOnOnly(of:)``.
    var fieldsPassedOnOnly: HTTPFields = [:]

    /// With the fields of `response` that aren't stored.
    func passingOn(_ response: HTTPResponse, _ policy: CachePolicy) -> CachedVariant {
        var variant = self
        variant.fieldsPassedOnOnly = policy.fieldsPassedOnOnly(of: response.headerFields)
        return variant
    }

    /// As it is stored, for the clients that only waited for another one's response.
    var forOthers: CachedVariant {
        var variant = self
        variant.fieldsPassedOnOnly = [:]
        return variant
    }

    /// The stored response as a representation, with its current age.
    func representation(now: Date, _ status: CacheStatus) -> Representation {
        var fields = response.fields
        fields.append(contentsOf: fieldsPassedOnOnly)
        let age = response.ageField(now: now)
        fields[age.name] = age.value
        // The origin's own caches come first in the list (RFC 9211 §2).
        fields.append(HTTPField(name: .cacheStatus, value: status.fieldValue))
        return Representation(
            status: HTTPResponse.Status(code: response.status),
            mediaType: fields[.contentType],
            content: body,
            entityTag: fields[fields: .eTag].first.flatMap { EntityTag($0) },
            lastModified: fields[.lastModified].flatMap { HTTPDate($0)?.date },
            conditionDate: response.date,
            fields: fields
        )
    }
}
