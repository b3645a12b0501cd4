import HTTPTypes

/// The response of a test's origin: a head, and the whole body.
package struct ScriptedResponse: Sendable {
    /// The status.
    package var status: HTTPResponse.Status
    /// The fields; the server adds `Content-Length` and `Date` where they are missing.
    package var fields: HTTPFields
    /// The body. It isn't sent in response to HEAD, nor with a status that has none.
    package var body: [UInt8]

    /// Makes a response.
    package init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Makes a response with text in UTF-8.
    package init(_ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok) {
        self.init(status: status, fields: [.contentType: type], body: Array(text.utf8))
    }

    /// 404 with a line of text.
    package static let notFound = ScriptedResponse("not found\n", status: .notFound)
}
