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
}

extension StoredResponse: Codable {
    private enum CodingKeys: CodingKey {
        case url, selectingFields, status, fields, isShareable, requestTime, responseTime, bodyLength
    }

    /// Decodes what `encode(to:)` wrote.
    ///
    /// - Throws: `DecodingError` when a value is missing, of another type, or out of its range.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        selectingFields = try container.decode(HTTPFields.self, forKey: .selectingFields)
        status = try StoredResponse.decode(.status, in: 200...599, from: container)
        fields = try container.decode(HTTPFields.self, forKey: .fields)
        // Absent where it was not recorded.
        isShareable = try container.decodeIfPresent(Bool.self, forKey: .isShareable) ?? false
        requestTime = try container.decode(Date.self, forKey: .requestTime)
        responseTime = try container.decode(Date.self, forKey: .responseTime)
        bodyLength = try StoredResponse.decode(.bodyLength, in: 0...Int.max, from: container)
    }

    private static func decode(
        _ key: CodingKeys,
        in range: ClosedRange<Int>,
        from container: KeyedDecodingContainer<CodingKeys>
    ) throws -> Int {
        let number = try container.decode(Int.self, forKey: key)
        guard range.contains(number) else {
            let message = "\(key.stringValue) must be in \(range), not \(number)"
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: message)
        }
        return number
    }
}
