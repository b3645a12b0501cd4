import BundleServing
import Foundation
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
            && !forbidsStoring(response.status, directives, wishes: CacheControl(request.headerFields))
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
        wishes: CacheControl
    ) -> Bool {
        if wishes.noStore { return true }
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
