import BundleServing
import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

extension CachePolicy {
    /// Whether the response may be stored (RFC 9111 §3).
    ///
    /// - Parameters:
    ///   - request: The request as it went to the origin.
    ///   - response: The head of its response.
    package func isStorable(request: HTTPRequest, response: HTTPResponse) -> Bool {
        let fields = response.headerFields
        let directives = directives(of: fields)
        return request.method == .get
            && isFinal(response.status)
            && !forbidsStoring(response.status, directives, requestDirectives: CacheControl(request.headerFields))
            && allowsSharing(directives, request: request, fields: fields)
            && isCacheable(response, directives)
            && isSelected(by: request.headerFields, VariantSelector(fields))
            && fields.count <= StoredResponse.maximumFieldCount
    }

    /// The part of a storable response to keep, once its body is complete.
    ///
    /// - Parameters:
    ///   - request: The request as it went to the origin.
    ///   - url: The target URI of the request.
    ///   - response: The head of its response, with a status of 200 to 599.
    ///   - bodyLength: The length of the body in bytes.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the head was received.
    package func storedResponse(
        to request: HTTPRequest,
        url: URL,
        response: HTTPResponse,
        bodyLength: Int,
        requestTime: Date,
        responseTime: Date
    ) -> StoredResponse {
        StoredResponse(
            url: url,
            selectingFields: VariantSelector(response.headerFields).selectingFields(of: request.headerFields),
            status: response.status.code,
            fields: dated(storableFields(of: response.headerFields), receivedAt: responseTime),
            isShareable: isShareable(request: request, response: response),
            requestTime: requestTime,
            responseTime: responseTime,
            bodyLength: bodyLength
        )
    }

    /// The fields of a response that may be stored (§3.1): not those that a qualified `no-cache` or `private` lists.
    func storableFields(of fields: HTTPFields) -> HTTPFields {
        fields.removingConnectionFields().removing(namesPassedOnOnly(in: fields))
    }

    /// The fields of a response that are passed on with it but not stored: those that a qualified `no-cache` or
    /// `private` lists. They are for the client whose request the origin has responded to, and for no later one
    /// (§5.2.2.4, §5.2.2.7).
    package func fieldsPassedOnOnly(of fields: HTTPFields) -> HTTPFields {
        let names = namesPassedOnOnly(in: fields)
        return HTTPFields(fields.removingConnectionFields().filter { names.contains($0.name) })
    }

    private func namesPassedOnOnly(in fields: HTTPFields) -> Set<HTTPField.Name> {
        let directives = directives(of: fields)
        var names: Set<HTTPField.Name> = []
        if case .fields(let listed) = directives.noCache { names.formUnion(listed) }
        if obeysSharedRules, case .fields(let listed) = directives.privateScope { names.formUnion(listed) }
        return names
    }

    /// Whether a cache of several users may store the same of this response.
    func isShareable(request: HTTPRequest, response: HTTPResponse) -> Bool {
        if isShared { return true }
        return directives(of: response.headerFields).privateScope == nil
            && whenShared.isStorable(request: request, response: response)
    }

    /// A response without a valid Date gets the time of its arrival (RFC 9110 §6.6.1).
    func dated(_ fields: HTTPFields, receivedAt responseTime: Date) -> HTTPFields {
        guard fields.date(.date, receivedAt: responseTime) == nil else { return fields }
        var dated = fields
        dated[.date] = HTTPDate(responseTime)?.fieldValue
        return dated
    }

    /// Whether a status is final and meaningful for later requests: not a part of the content (206, 416), nor the
    /// outcome of a precondition (304, 412).
    private func isFinal(_ status: HTTPResponse.Status) -> Bool {
        (200...599).contains(status.code) && ![206, 304, 412, 416].contains(status.code)
    }

    /// `must-understand` keeps a response with a status that isn't understood out of the cache, and overrides
    /// `no-store` for one that is (§3, §5.2.2.3).
    private func forbidsStoring(
        _ status: HTTPResponse.Status,
        _ directives: CacheControl,
        requestDirectives: CacheControl
    ) -> Bool {
        if requestDirectives.noStore { return true }
        return directives.mustUnderstand ? !Self.isUnderstood(status.code) : directives.noStore
    }

    private func allowsSharing(_ directives: CacheControl, request: HTTPRequest, fields: HTTPFields) -> Bool {
        guard obeysSharedRules else { return true }
        if directives.privateScope == .response { return false }
        let isMeantForSharing = directives.isPublic || directives.sharedMaxAge != nil
        // §3.5
        if request.headerFields.contains(.authorization), !isMeantForSharing, !directives.mustRevalidate {
            return false
        }
        guard isShared else { return true }
        // A response to a request with cookies is usually specific to its user, whether or not the origin says so.
        if request.headerFields.contains(.cookie), !isMeantForSharing { return false }
        // §7.3 leaves it to the origin to forbid the storing of cookies. Many don't, and one user's session would reach
        // another user, so a shared cache requires explicit permission.
        return isMeantForSharing || !storableFields(of: fields).contains(.setCookie)
    }

    /// Whether it is known which requests the response can serve (§4.1). A proxy instruction, which is forwarded only
    /// if the manifest permits it, may have changed the response, so `Vary` has to limit it to requests with the same
    /// instruction.
    private func isSelected(by request: HTTPFields, _ selector: VariantSelector) -> Bool {
        guard case .fields(let names) = selector else { return false }
        return request.allSatisfy { field in
            !ProxyInstructionFields.contains(field.name.canonicalName) || names.contains(field.name)
        }
    }

    /// Whether a response says how long it stays fresh (§4.2.1).
    func hasExplicitExpiry(_ fields: HTTPFields) -> Bool {
        let directives = directives(of: fields)
        return directives.maxAge != nil
            || obeysSharedRules && directives.sharedMaxAge != nil
            || !directives.isTargeted && fields.contains(.expires)
    }

    /// The last condition of §3: an explicit expiry, an explicit permission, or a status that allows a heuristic.
    private func isCacheable(_ response: HTTPResponse, _ directives: CacheControl) -> Bool {
        directives.isPublic
            || !obeysSharedRules && directives.privateScope != nil
            || hasExplicitExpiry(response.headerFields)
            || CachePolicy.isHeuristicallyCacheable(response.status.code)
    }
}

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
        var freshened = StoredResponse(
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
        (freshened.user, freshened.isOfflineCopy) = (stored.user, stored.isOfflineCopy)
        return freshened
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

extension CachePolicy {
    /// What becomes of a stored response to GET when a HEAD request that could have selected it gets a 200 (RFC 9111
    /// §4.3.5): with the fields of the HEAD response, and as fresh as it, if that describes the same content; nil if the
    /// stored response is out of date.
    ///
    /// The result may have to be removed all the same, as after a 304: see
    /// ``freshened(_:by:to:requestTime:responseTime:)``.
    ///
    /// - Parameters:
    ///   - stored: The response to GET.
    ///   - response: The head of the response to HEAD, with status 200.
    ///   - request: The HEAD request as it went to the origin.
    ///   - requestTime: When it was sent.
    ///   - responseTime: When the response was received.
    package func freshened(
        _ stored: StoredResponse,
        byHead response: HTTPResponse,
        to request: HTTPRequest,
        requestTime: Date,
        responseTime: Date
    ) -> StoredResponse? {
        guard stored.isDescribed(byHead: response) else { return nil }
        var get = request
        get.method = .get
        return freshened(stored, by: response, to: get, requestTime: requestTime, responseTime: responseTime)
    }
}

extension StoredResponse {
    /// Whether all validators that the other one has are the same here, and so is the length if it has one.
    fileprivate func isDescribed(byHead response: HTTPResponse) -> Bool {
        guard wholeHead.status == response.status else { return false }
        let received = response.headerFields
        let tags = received[fields: .eTag]
        if !tags.isEmpty, tags.map({ EntityTag($0) }) != fields[fields: .eTag].map({ EntityTag($0) }) { return false }
        if received.contains(.lastModified) {
            let theirs = received.date(.lastModified, receivedAt: responseTime)
            guard let theirs, theirs == fields.date(.lastModified, receivedAt: responseTime) else { return false }
        }
        guard let length = received[.contentLength] else { return true }
        return Int(length) == bodyLength
    }
}

extension CachePolicy {
    /// The same exchange as one of a GET, if its response may be used for later GETs: that of a POST (RFC 9110 §9.3.3) or
    /// a PATCH (RFC 5789 §2) which says that its content is the resource's representation, in Content-Location, and for
    /// how long. Those of other methods aren't cacheable (RFC 9110 §9.3.4, §9.3.5).
    ///
    /// The rules of storing apply to it as to any other, see ``isStorable(request:response:)``.
    func asGet(_ exchange: OriginExchange) -> OriginExchange? {
        let fields = exchange.response.headerFields
        guard [.post, .patch].contains(exchange.request.method), exchange.response.status == .ok,
            hasExplicitExpiry(fields),
            fields[values: .contentLocation].count == 1, let location = fields[.contentLocation],
            let named = CacheInvalidation.target(of: location, from: exchange.url),
            CacheKey(named) == CacheKey(exchange.url),
            // It was asked for with the client's own Accept-Encoding, and what is stored has no coding.
            !fields.contains(.contentEncoding)
        else { return nil }
        var request = exchange.request
        request.method = .get
        return exchange.responding(to: request, with: exchange.response)
    }
}
