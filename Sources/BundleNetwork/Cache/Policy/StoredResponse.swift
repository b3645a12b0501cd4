import Foundation
import HTTPTypes

/// What the cache keeps of a response to a GET request, in addition to the bytes of its body (RFC 9111 §3).
///
/// Made by ``CachePolicy/storedResponse(to:url:response:bodyLength:requestTime:responseTime:)``. A value type; safe to
/// share between threads.
package struct StoredResponse: Hashable, Sendable {
    /// The most fields that a stored response may have.
    package static let maximumFieldCount = 1_000

    /// The target URI of the request.
    package let url: URL
    /// The request's values of the fields that the response's Vary names; a field not here was absent.
    package let selectingFields: HTTPFields
    /// The status code, 200 to 599.
    package let status: Int
    /// The response's fields without those of the connection; always with a valid Date.
    package let fields: HTTPFields
    /// Whether a cache of several users might have stored it. Otherwise only one of a single user may use it.
    package let isShareable: Bool
    /// When the request was sent, by the clock of this machine.
    package let requestTime: Date
    /// When the response's head was received, by the clock of this machine.
    package let responseTime: Date
    /// The length of the stored body in bytes.
    package let bodyLength: Int

    /// Status and fields as a message, without an updated Age (see ``ageField(now:)``).
    package var head: HTTPResponse {
        HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    }

    /// The same for the whole when only parts are stored: what may be stored is decided by the same rules for both (RFC
    /// 9111 §3.3).
    package var wholeHead: HTTPResponse {
        status == 206 ? HTTPResponse(status: .ok, headerFields: fields) : head
    }
}
