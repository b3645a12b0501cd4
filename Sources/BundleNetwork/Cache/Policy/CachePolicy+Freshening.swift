import Foundation
import HTTPCore
import HTTPTypes

extension CachePolicy {
    /// `stored` with the fields of the 304 that confirmed it, which make it as fresh as the 304 (RFC 9111 §3.2,
    /// §4.3.4).
    ///
    /// The 304 may forbid storing what it confirms: pass the result's `head` to ``isStorable(request:response:)``, and
    /// remove the stored response if it isn't storable. A 304 with more fields than may be stored changes nothing.
    ///
    /// - Parameters:
    ///   - stored: The response that was validated.
    ///   - notModified: The 304 that confirmed it, see ``StoredResponse/isConfirmed(by:)``.
    ///   - request: The validating request as it went to the origin.
    ///   - requestTime: When it was sent.
    ///   - responseTime: When the 304 was received.
    package func freshened(
        _ stored: StoredResponse,
        by notModified: HTTPResponse,
        to request: HTTPRequest,
        requestTime: Date,
        responseTime: Date
    ) -> StoredResponse {
        guard let fields = merged(stored.fields, with: notModified.headerFields) else { return stored }
        let head = HTTPResponse(status: stored.wholeHead.status, headerFields: fields)
        return StoredResponse(
            url: stored.url,
            // The 304's Vary may name fields that the earlier one didn't.
            selectingFields: VariantSelector(fields).selectingFields(of: request.headerFields),
            status: stored.status,
            fields: dated(fields, receivedAt: responseTime),
            isShareable: stored.isShareable && isShareable(request: request, response: head),
            requestTime: requestTime,
            responseTime: responseTime,
            bodyLength: stored.bodyLength
        )
    }

    /// The head of the whole content of which `stored` has parts, updated by a 206 that brings another part (RFC 9111
    /// §3.4). It has the fields that aren't stored, too, and no Content-Length.
    func combined(_ stored: StoredResponse, with part: HTTPResponse) -> HTTPResponse {
        let newer = part.headerFields.removingConnectionFields().removing(CachePolicy.bodyFields)
        var fields = stored.fields.removing(Set(newer.map(\.name)).union(CachePolicy.timeFields))
        fields.append(contentsOf: newer)
        return HTTPResponse(status: .ok, headerFields: fields)
    }

    /// Nil when there are too many.
    private func merged(_ stored: HTTPFields, with newer: HTTPFields) -> HTTPFields? {
        guard newer.count <= StoredResponse.maximumFieldCount else { return nil }
        let added = storableFields(of: newer).removing(CachePolicy.bodyFields)
        var merged = stored.removing(Set(added.map(\.name)).union(CachePolicy.timeFields))
        merged.append(contentsOf: added)
        // Filtered again: fields that the newer Cache-Control excludes from storage must go too.
        merged = storableFields(of: merged)
        return merged.count <= StoredResponse.maximumFieldCount ? merged : nil
    }

    /// They describe the stored bytes, which a 304 doesn't change (§3.2).
    private static let bodyFields: Set<HTTPField.Name> = [
        .contentEncoding, .contentLength, .contentRange, .contentType,
    ]

    /// They give the age of the earlier response, not of this one.
    private static let timeFields: Set<HTTPField.Name> = [.age, .date]
}
