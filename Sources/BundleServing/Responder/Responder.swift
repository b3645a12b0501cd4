import BundleStore
import HTTPTypes

/// Turns a request and its resource's representation into the response, by RFC 9110. Pure; safe from any thread.
public enum Responder {
    /// The methods that a resource supports, as `Allow` names them.
    public static let allowedMethods = "GET, HEAD, OPTIONS"

    /// Responds to `request`. Every response has `X-Content-Type-Options: nosniff` and, where HTTP allows it,
    /// `Content-Length`.
    ///
    /// The steps: select the representation among its variants, and then, in the order of RFC 9110 §13.2, apply method,
    /// preconditions and range. All but the method apply only where the response would be 200; a stored 404 or redirect
    /// is sent as it is.
    public static func respond(to request: HTTPRequest, with representation: Representation) -> Response {
        let representation = representation.selected(for: request)
        return switch request.method {
        case .get: response(to: request, with: representation)
        case .head: response(to: request, with: representation).withoutBody
        case .options: options(representation)
        default: methodNotAllowed(representation)
        }
    }

    private static func response(to request: HTTPRequest, with representation: Representation) -> Response {
        guard representation.status == .ok else { return whole(representation) }
        let selection = ResponseSelection(
            isHead: request.method == .head,
            of: request.headerFields,
            validators: representation.validators,
            length: representation.content.count
        )
        return switch selection {
        case .whole: whole(representation)
        case .notModified: notModified(representation)
        case .preconditionFailed: preconditionFailed(representation)
        case .parts(let parts): partial(parts, of: representation)
        case .rangeNotSatisfiable: rangeNotSatisfiable(representation, length: representation.content.count)
        }
    }

    private static func whole(_ representation: Representation) -> Response {
        var head = HTTPResponse(status: representation.status, headerFields: representation.describingFields)
        guard representation.status.allowsContent else { return Response(head: head) }
        if representation.status == .ok { head.headerFields[.acceptRanges] = "bytes" }
        // Without a meaning here (§14.4), and stored like any other field (RFC 9111 §3.1).
        head.headerFields.append(contentsOf: representation.fields[fields: .contentRange])
        head.headerFields[.contentLength] = String(representation.content.count)
        return Response(head: head, body: ResponseBody([representation.content]))
    }

    /// 206 (§15.3.7). With If-Range it repeats all fields, though the client should have them: a player whose cache
    /// dropped the first part can't use a part without a type.
    private static func partial(_ parts: [Range<Int>], of representation: Representation) -> Response {
        var head = HTTPResponse(status: .partialContent, headerFields: representation.describingFields)
        head.headerFields[.acceptRanges] = "bytes"
        let body: ResponseBody
        if parts.count == 1 {
            head.headerFields[.contentRange] = ContentRange.value(parts[0], length: representation.content.count)
            body = ResponseBody([representation.content[parts[0]]])
        } else {
            // The type from the field, in which a line break, which could forge a part's head, has become a space.
            let type = head.headerFields[.contentType]
            let multipart = MultipartByteRanges(
                parts,
                of: representation.content,
                contentType: type,
                tag: representation.entityTag
            )
            head.headerFields[.contentType] = multipart.contentType
            body = multipart.body
        }
        head.headerFields[.contentLength] = String(body.byteCount)
        return Response(head: head, body: body)
    }

    private static func notModified(_ representation: Representation) -> Response {
        Response(head: HTTPResponse(status: .notModified, headerFields: representation.notModifiedFields))
    }

    private static func options(_ representation: Representation) -> Response {
        var fields = representation.accountingFields
        fields[.allow] = allowedMethods
        fields[.xContentTypeOptions] = "nosniff"
        return Response(head: HTTPResponse(status: .noContent, headerFields: fields))
    }

    private static func methodNotAllowed(_ representation: Representation) -> Response {
        var fields = representation.accountingFields
        fields[.allow] = allowedMethods
        return .plain(.methodNotAllowed, "Only \(allowedMethods) are supported here.", fields: fields)
    }

    private static func preconditionFailed(_ representation: Representation) -> Response {
        .plain(
            .preconditionFailed,
            "A condition of the request doesn't hold for what is here now.",
            fields: representation.refusalFields
        )
    }

    /// 416 (§15.5.17).
    ///
    /// - Parameter length: The length of the whole content in bytes, which the representation need not have.
    package static func rangeNotSatisfiable(_ representation: Representation, length: Int) -> Response {
        var fields = representation.refusalFields
        fields[.acceptRanges] = "bytes"
        fields[.contentRange] = ContentRange.unsatisfied(length: length)
        return .plain(
            .rangeNotSatisfiable,
            "The content has \(length) bytes; the range lies behind them.",
            fields: fields
        )
    }
}
