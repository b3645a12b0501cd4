import HTTPCore
import HTTPTypes
import OfflineBundles

/// A request of the web view, as HTTP or a custom scheme brings it.
package struct WebViewRequest: Sendable {
    package let request: HTTPRequest
    package let content: URLRequestContent
    /// Whether it is for the window's page or a frame's, so that a user would see the body of an error.
    package let isPage: Bool

    /// The URL, to tell the user.
    package let url: String

    /// Returns nil for what isn't a request for a URL.
    ///
    /// - Parameters:
    ///   - url: Absolute, http or https.
    ///   - fields: As they were received; those of the connection are left out.
    ///   - content: The length of a stream is what `fields` say, or unknown.
    ///   - mayUpgrade: Whether a switch to another protocol can be passed on; the request asks for none otherwise.
    package init?(
        method: String,
        url: String,
        fields: [(name: String, value: String)],
        content: URLRequestContent = .none,
        mayUpgrade: Bool = false
    ) {
        guard let method = HTTPRequest.Method(method), let target = RequestTarget(url: url), let scheme = target.scheme,
            let authority = target.authority
        else { return nil }
        var headerFields = HTTPFields()
        for field in fields {
            guard let name = HTTPField.Name(field.name), !Self.connectionFields.contains(name),
                field.name.lowercased() != "host"
            else { continue }
            headerFields.append(HTTPField(name: name, value: field.value))
        }
        if mayUpgrade, let name = Self.upgrade(fields) {
            headerFields[.connection] = "Upgrade"
            headerFields[.upgrade] = name
        }
        if case .stream = content {} else { headerFields[.contentLength] = content.length.map { "\($0)" } }
        let path = target.path + target.query
        request = HTTPRequest(
            method: method,
            scheme: scheme,
            authority: authority,
            path: path,
            headerFields: headerFields
        )
        self.content = content
        self.url = url
        isPage = Self.isPage(headerFields)
    }

    /// The request in its place that a redirect leads to; nil when it can't be sent: a stream that was too long to be kept can't be
    /// read again.
    package func redirected(to url: String, _ method: HTTPRequest.Method, keepsContent: Bool) -> WebViewRequest? {
        guard !keepsContent || content.canBeSent else { return nil }
        let fields = request.headerFields.filter { keepsContent || !Self.contentFields.contains($0.name) }
        return WebViewRequest(
            method: method.rawValue,
            url: url,
            fields: fields.map { (name: $0.name.rawName, value: $0.value) },
            content: keepsContent ? content : .none
        )
    }

    /// Fields that concern the content of a request (Fetch, “request-body-header name”).
    private static let contentFields: Set<HTTPField.Name> = [
        .contentEncoding, .contentLanguage, .contentLocation, .contentType,
    ]

    /// By Sec-Fetch-Dest where the web view sends it, else by what is accepted.
    private static func isPage(_ fields: HTTPFields) -> Bool {
        guard let destination = fields[.secFetchDestination] else {
            return fields[.accept]?.hasPrefix("text/html") ?? false
        }
        return ["document", "iframe", "frame"].contains(destination)
    }

    /// The protocol that a request asks to switch to (RFC 9110 §7.8).
    private static func upgrade(_ fields: [(name: String, value: String)]) -> String? {
        let options = fields.filter { $0.name.lowercased() == "connection" }.flatMap { $0.value.split(separator: ",") }
        guard options.contains(where: { $0.lowercased().contains("upgrade") }) else { return nil }
        return fields.first { $0.name.lowercased() == "upgrade" }?.value
    }

    /// Fields that concern one connection (RFC 9110 §7.6.1).
    package static let connectionFields: Set<HTTPField.Name> = [
        .connection, .transferEncoding, .te, .upgrade, .keepAlive, .proxyConnection,
    ]
}

extension HTTPField.Name {
    // Constants, whose names are valid.
    fileprivate static let secFetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    fileprivate static let keepAlive = HTTPField.Name("Keep-Alive")!
    fileprivate static let proxyConnection = HTTPField.Name("Proxy-Connection")!
}
