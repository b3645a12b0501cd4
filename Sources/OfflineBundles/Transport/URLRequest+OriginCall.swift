import BundleEmbedding
import BundleModel
import Foundation
import HTTPCore
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// A request to an origin as `URLSession` can send it.
    ///
    /// - Parameter asksForCodings: Whether a request without `Accept-Encoding` gets that of `URLSession`.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it can't.
    init(_ call: OriginCall, asksForCodings: Bool) throws {
        let request = call.request
        guard let authority = request.authority, !authority.isEmpty, !authority.contains("@"),
            let scheme = request.scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { throw Self.refusal("its URL isn't one of http or https with a host") }
        guard request.method != .connect, request.headerFields[.upgrade] == nil else {
            throw Self.refusal("URLSession switches no protocols; connect with a transport that does")
        }
        guard call.content == nil || ![.get, .head].contains(request.method) else {
            throw Self.refusal("URLSession sends no content with \(request.method.rawValue)")
        }
        let address = try call.connectTo.map { try Self.address($0, authority, scheme) } ?? authority
        self.init(url: try Self.url(scheme, address, request.path ?? "/"))
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        cachePolicy = .reloadIgnoringLocalCacheData
        // As the session's: which of the two counts isn't documented.
        timeoutInterval = 24 * 3_600
        try add(request.headerFields, asksForCodings: asksForCodings)
        if address != authority { setValue(authority, forHTTPHeaderField: "Host") }
        BundleURLProtocol.mark(&self)
    }

    private mutating func add(_ fields: HTTPFields, asksForCodings: Bool) throws {
        // A part of coded content couldn't be decoded.
        if fields[.acceptEncoding] == nil && !asksForCodings || fields[.range] != nil {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        for name in Set(fields.map(\.name)) {
            switch name.canonicalName {
            case "content-length", "transfer-encoding", "host", "expect", "connection", "te", "trailer": continue
            // It has to undo the coding, so it asks for those that it can undo.
            case "accept-encoding" where fields[.range] != nil || fields[.acceptEncoding] != "identity": continue
            default: break
            }
            guard let value = fields[name], fields[fields: name].allSatisfy(\.isText) else {
                throw Self.refusal("the value of \(name.rawName) isn't text in UTF-8")
            }
            setValue(value, forHTTPHeaderField: name.rawName)
        }
    }

    private static func address(_ target: ConnectTarget, _ authority: String, _ scheme: String) throws -> String {
        guard scheme == "http" else {
            throw refusal(
                "URLSession can't connect to \(Printable.text(target.host)) in place of \(Printable.text(authority)) "
                    + "over https and check the certificate of that name; connect with a transport that can"
            )
        }
        let host = target.host.contains(":") ? "[\(target.host)]" : target.host
        let port = target.port.map { ":\($0)" } ?? HTTPURLParts.port(of: authority).map { ":\($0)" } ?? ""
        return host + port
    }

    /// Only what Foundation leaves as it is: the origin must get the path that was looked up.
    private static func url(_ scheme: String, _ authority: String, _ path: String) throws -> URL {
        let target = path.prefix { $0 != "#" }
        let text = "\(scheme)://\(authority)\(target.hasPrefix("/") ? "" : "/")\(target)"
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString == text,
            url.host()?.isEmpty == false, url.port.map({ (0...65_535).contains($0) }) ?? !authority.hasPortDigits,
            target != "*"
        else { throw refusal("\(Printable.text(String(text.prefix { $0 != "?" }))) isn't a URL of http or https") }
        return url
    }

    private static func refusal(_ reason: String) -> BundleError {
        BundleError(.invalidArgument, "the request can't be sent: \(reason)")
    }
}

/// Parts of an authority (RFC 3986 §3.2).
enum HTTPURLParts {
    static func port(of authority: String) -> UInt16? {
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return nil }
        return UInt16(authority[colon...].dropFirst())
    }
}

extension String {
    /// Whether there is something behind the colon of a port.
    fileprivate var hasPortDigits: Bool {
        guard let colon = lastIndex(of: ":"), !self[colon...].contains("]") else { return false }
        return !self[colon...].dropFirst().isEmpty
    }
}

extension HTTPField {
    /// Whether the value is UTF-8, which is all that `URLSession` can send.
    fileprivate var isText: Bool {
        withUnsafeBytesOfValue { bytes in
            HeadBytes.isFieldText(UnsafeRawBufferPointer(bytes), 0..<bytes.count)
                && String(validating: bytes, as: UTF8.self) != nil
        }
    }
}
