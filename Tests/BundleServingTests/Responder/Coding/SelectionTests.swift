import BundleStore
import Foundation
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Which variant is selected (RFC 9110 §12)")
struct SelectionTests {
    private static let text = "the content as it is"
    private static let digest = Digest(of: Array(text.utf8))
    private static let tag = EntityTag(digest: digest).opaque

    private static func representation(_ codings: [ContentCoding]) -> Representation {
        Representation(
            mediaType: "text/plain",
            content: ByteSlice(copying: Array(text.utf8)),
            entityTag: EntityTag(digest: digest),
            fields: [.cacheControl: "no-cache"],
            variants: codings.map { ContentVariant(VariantKey(digest, $0), ByteSlice(copying: Array($0.token.utf8))) },
            selectingFields: [.acceptEncoding]
        )
    }

    private func respond(
        _ fields: HTTPFields,
        _ codings: [ContentCoding] = [.gzip, .zstandard, .brotli],
        method: HTTPRequest.Method = .get
    ) -> Response {
        let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: "/", headerFields: fields)
        return Responder.respond(to: request, with: Self.representation(codings))
    }

    /// The coding of a response according to its body, its field and its tag, which must agree.
    private func coding(of response: Response) -> String {
        let body = String(decoding: response.body.array, as: UTF8.self)
        let fields = response.head.headerFields
        #expect(fields[.contentLength] == String(body.utf8.count))
        guard let coding = fields[.contentEncoding] else {
            #expect(body == Self.text)
            #expect(fields[.eTag] == "\"\(Self.tag)\"")
            return "identity"
        }
        #expect(body == coding)
        #expect(fields[.eTag] == "\"\(Self.tag)-\(coding)\"")
        #expect(fields[.contentType] == "text/plain")
        return coding
    }

    @Test(
        "the best of the existing ones",
        arguments: [
            // §12.5.3
            ("gzip, deflate, br, zstd", [.gzip, .zstandard, .brotli], "br"), ("gzip, br", [.gzip], "gzip"),
            ("br", [.gzip], "identity"), ("br;q=0.1, gzip", [.gzip, .brotli], "gzip"),
            ("identity, br;q=0.5", [.brotli], "identity"), ("", [.brotli], "identity"),
            ("br", [], "identity"), ("zstd, br;q=0.9", [.brotli, .zstandard], "zstd"),
            // §12.5.3: nothing is acceptable; then it is sent without a coding.
            ("identity;q=0", [.brotli], "identity"), ("*;q=0", [.brotli], "identity"),
            ("identity;q=0, br", [.brotli], "br"),
        ] as [(String, [ContentCoding], String)]
    )
    func best(_ accepted: String, _ codings: [ContentCoding], _ expected: String) {
        let response = respond([.acceptEncoding: accepted], codings)
        #expect(response.head.status == .ok)
        #expect(coding(of: response) == expected)
        #expect(response.head.headerFields[.vary] == "Accept-Encoding")
    }

    @Test("a request without the field gets the uncoded content")
    func noField() {
        #expect(coding(of: respond([:])) == "identity")
    }

    @Test("HEAD has the fields of GET (§9.3.2)")
    func head() {
        let fields: HTTPFields = [.acceptEncoding: "br"]
        #expect(respond(fields, method: .head).head == respond(fields).head)
        #expect(respond(fields, method: .head).body.isEmpty)
    }

    @Test(
        "a condition applies to the selected variant; the client's own is selected if acceptable (§13.1.2)",
        arguments: [
            ("br, gzip", "-br", 304, "-br"), ("br, gzip", "-gzip", 304, "-gzip"), ("br, gzip", "", 304, ""),
            ("br, gzip", "-zstd", 200, "-br"), ("gzip", "-br", 200, "-gzip"), ("br", "-deflate", 200, "-br"),
            ("br, identity;q=0", "", 200, "-br"),
        ]
    )
    func held(_ accepted: String, _ suffix: String, _ status: Int, _ expected: String) {
        for prefix in ["", "W/"] {
            let response = respond([.acceptEncoding: accepted, .ifNoneMatch: "\(prefix)\"\(Self.tag)\(suffix)\""])
            #expect(response.head.status.code == status)
            #expect(response.head.headerFields[.eTag] == "\"\(Self.tag)\(expected)\"")
            #expect(response.head.headerFields[.vary] == "Accept-Encoding")
            #expect(response.body.isEmpty == (status == 304))
        }
    }

    @Test("`If-None-Match: *` holds for every variant, and the tag is that of the best")
    func any() {
        let response = respond([.acceptEncoding: "gzip", .ifNoneMatch: "*"])
        #expect(response.head.status == .notModified)
        #expect(response.head.headerFields[.eTag] == "\"\(Self.tag)-gzip\"")
    }

    @Test("ranges are of the uncoded content, whatever is accepted (§14.2)")
    func range() {
        let response = respond([.acceptEncoding: "br", .range: "bytes=4-10"])
        #expect(response.head.status == .partialContent)
        #expect(String(decoding: response.body.array, as: UTF8.self) == "content")
        #expect(response.head.headerFields[.contentEncoding] == nil)
        #expect(response.head.headerFields[.eTag] == "\"\(Self.tag)\"")
        #expect(response.head.headerFields[.vary] == "Accept-Encoding")
    }

    @Test("a coded form has no ranges: the tag doesn't match, so the whole content is sent (§13.1.5)")
    func ifRange() {
        let response = respond([.acceptEncoding: "br", .range: "bytes=4-10", .ifRange: "\"\(Self.tag)-br\""])
        #expect(response.head.status == .ok)
        #expect(coding(of: response) == "identity")
    }

    @Test("Range is ignored for HEAD (§14.2)")
    func headRange() {
        let response = respond([.acceptEncoding: "br", .range: "bytes=4-10"], method: .head)
        #expect(response.head.headerFields[.contentEncoding] == "br")
    }

    @Test("error responses have Vary too", arguments: [[.ifMatch: "\"old\""], [.range: "bytes=999-"]] as [HTTPFields])
    func refusals(fields: HTTPFields) {
        let response = respond(fields)
        #expect([412, 416].contains(response.head.status.code))
        #expect(response.head.headerFields[.vary] == "Accept-Encoding")
        #expect(response.head.headerFields[.contentEncoding] == nil)
    }

    @Test("If-Match accepts only the tag of the selected variant (§13.1.1)")
    func ifMatch() {
        #expect(respond([.acceptEncoding: "br", .ifMatch: "\"\(Self.tag)-br\""]).head.status == .ok)
        #expect(respond([.acceptEncoding: "gzip", .ifMatch: "\"\(Self.tag)-br\""]).head.status == .preconditionFailed)
    }

    @Test(
        "Vary keeps the publisher's field names (§12.5.5)",
        arguments: [
            ("Cookie", "Cookie, Accept-Encoding"), ("accept-encoding", "accept-encoding"), ("*", "*"),
            ("Origin , Accept-Encoding", "Origin , Accept-Encoding"),
        ]
    )
    func vary(_ written: String, _ expected: String) {
        let representation = Representation(
            mediaType: nil,
            content: ByteSlice(copying: [1]),
            fields: [.vary: written],
            selectingFields: [.acceptEncoding]
        )
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        let response = Responder.respond(to: request, with: representation)
        #expect(response.head.headerFields[.vary] == expected)
    }
}
