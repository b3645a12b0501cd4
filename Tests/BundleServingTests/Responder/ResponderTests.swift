import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Responder (RFC 9110)")
struct ResponderTests {
    private static let digits = "0123456789"
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let representation = Representation(
        mediaType: "text/plain",
        content: ByteSlice(copying: Array(digits.utf8)),
        entityTag: EntityTag("\"now\""),
        lastModified: Date(timeIntervalSince1970: 784_111_777.25),
        fields: [.cacheControl: "no-cache", .cacheStatus: "offline-bundles; hit", .contentLanguage: "en"]
    )

    @Test("GET gives the whole content with all known fields")
    func get() {
        let response = respond()
        #expect(response.head.status == .ok)
        #expect(sent(by: response) == Self.digits)
        #expect(
            response.head.headerFields == [
                .cacheControl: "no-cache", .cacheStatus: "offline-bundles; hit", .contentLanguage: "en",
                .contentType: "text/plain", .eTag: "\"now\"", .lastModified: Self.date,
                .xContentTypeOptions: "nosniff", .acceptRanges: "bytes", .contentLength: "10",
            ]
        )
    }

    @Test("the content is sent in place, in one part")
    func zeroCopy() {
        let response = respond()
        let original = Self.representation.content.withUnsafeBytes { $0.baseAddress }
        #expect(response.body.parts.map { $0.withUnsafeBytes { $0.baseAddress } } == [original])
    }

    @Test(
        "HEAD gives GET's fields without the content, and ignores Range (§9.3.2, §14.2)",
        arguments: [
            [:], [.ifNoneMatch: "\"now\""], [.ifMatch: "\"old\""], [.ifModifiedSince: date], [.ifNoneMatch: "\"old\""],
        ] as [HTTPFields]
    )
    func head(fields: HTTPFields) {
        let (get, head) = (respond(fields), respond(fields, method: .head))
        #expect(head.head == get.head)
        #expect(head.body.isEmpty)
        var ranged = fields
        ranged[.range] = "bytes=0-0"
        #expect(respond(ranged, method: .head).head == get.head)
    }

    @Test(
        "OPTIONS lists the allowed methods, without content (§9.3.7)",
        arguments: [[:], [.ifMatch: "\"old\""]] as [HTTPFields]
    )
    func options(fields: HTTPFields) {
        let response = respond(fields, method: .options)
        #expect(response.head.status == .noContent)
        #expect(response.head.headerFields[.allow] == "GET, HEAD, OPTIONS")
        #expect(response.head.headerFields[.xContentTypeOptions] == "nosniff")
        #expect(!response.head.headerFields.contains(.contentLength))
        #expect(response.body.isEmpty)
    }

    @Test(
        "other methods are refused with the allowed ones (§15.5.6)",
        arguments: [HTTPRequest.Method.post, .put, .delete, .patch, .trace, .connect]
    )
    func methods(method: HTTPRequest.Method) {
        let response = respond([.ifMatch: "\"old\""], method: method)
        expectExplanation(response, .methodNotAllowed)
        #expect(response.head.headerFields[.allow] == "GET, HEAD, OPTIONS")
    }

    @Test("304 has the fields of §15.4.5, its age, its cache status, its CORS fields, and no content")
    func notModified() {
        let fields: HTTPFields = [
            .cacheControl: "max-age=1", .contentLocation: "/x", .expires: Self.date, .vary: "Accept",
            .cacheStatus: "a; hit", .contentLanguage: "en", .server: "s", .contentEncoding: "gzip", .age: "50",
            .accessControlAllowOrigin: "https://x.example",
        ]
        let response = respond([.ifNoneMatch: "\"now\""], with: copy(fields: fields))
        #expect(response.head.status == .notModified)
        #expect(response.body.isEmpty)
        #expect(
            response.head.headerFields == [
                .cacheControl: "max-age=1", .contentLocation: "/x", .expires: Self.date, .vary: "Accept",
                .cacheStatus: "a; hit", .age: "50", .accessControlAllowOrigin: "https://x.example",
                .eTag: "\"now\"", .xContentTypeOptions: "nosniff",
            ]
        )
    }

    @Test("304 has Last-Modified when there is no tag (§15.4.5)")
    func notModifiedWithoutTag() {
        let untagged = Representation(
            mediaType: "text/plain",
            content: Self.representation.content,
            lastModified: Self.representation.lastModified
        )
        let response = respond([.ifModifiedSince: Self.date], with: untagged)
        #expect(response.head.status == .notModified)
        #expect(response.head.headerFields == [.lastModified: Self.date, .xContentTypeOptions: "nosniff"])
    }

    @Test("412 explains itself (§15.5.13)")
    func preconditionFailed() {
        expectExplanation(respond([.ifMatch: "\"old\"", .range: "bytes=0-0"]), .preconditionFailed)
    }

    @Test(
        "one range gives 206 with Content-Range (§15.3.7.1)",
        arguments: [
            ("bytes=0-0", "0", "bytes 0-0/10"), ("bytes=2-4", "234", "bytes 2-4/10"),
            ("bytes=-3", "789", "bytes 7-9/10"),
            ("bytes=5-", "56789", "bytes 5-9/10"), ("bytes=0-", digits, "bytes 0-9/10"),
            ("bytes=0-4,3-6", "0123456", "bytes 0-6/10"), ("bytes=20-,9-9", "9", "bytes 9-9/10"),
        ]
    )
    func singleRange(value: String, content: String, contentRange: String) {
        let response = respond([.range: value])
        #expect(response.head.status == .partialContent)
        #expect(sent(by: response) == content)
        #expect(response.head.headerFields[.contentRange] == contentRange)
        #expect(response.head.headerFields[.contentLength] == String(content.utf8.count))
        #expect(response.head.headerFields[.contentType] == "text/plain")
        #expect(response.head.headerFields[.eTag] == "\"now\"")
        #expect(response.head.headerFields[.cacheControl] == "no-cache")
        #expect(response.head.headerFields[.xContentTypeOptions] == "nosniff")
    }

    @Test("several ranges give multipart/byteranges in the requested order (§14.6, §15.3.7.2)")
    func multipleRanges() throws {
        let response = respond([.range: "bytes=7-8, 0-1, -1, 3-3"])
        #expect(response.head.status == .partialContent)
        #expect(!response.head.headerFields.contains(.contentRange))
        let type = try #require(response.head.headerFields[.contentType])
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(type == "multipart/byteranges; boundary=\(boundary)")
        let part: (String, String) -> String = {
            "--\(boundary)\r\nContent-Type: text/plain\r\nContent-Range: bytes \($0)/10\r\n\r\n\($1)\r\n"
        }
        #expect(sent(by: response) == part("7-9", "789") + part("0-1", "01") + part("3-3", "3") + "--\(boundary)--\r\n")
        #expect(response.head.headerFields[.contentLength] == String(response.body.byteCount))
    }

    @Test("the boundary is the same for the same response, and differs for any other")
    func boundary() {
        let boundary: (String, String) -> String? = { range, tag in
            respond([.range: range], with: copy(entityTag: EntityTag(tag))).head.headerFields[.contentType]
        }
        #expect(boundary("bytes=0-0,2-2", "\"a\"") == boundary("bytes=0-0,2-2", "\"a\""))
        #expect(boundary("bytes=0-0,2-2", "\"a\"") != boundary("bytes=0-0,2-2", "\"b\""))
        #expect(boundary("bytes=0-0,2-2", "\"a\"") != boundary("bytes=0-0,3-3", "\"a\""))
    }

    @Test("a media type with a line break can't forge a part's head")
    func headInjection() {
        let forged = copy(mediaType: "text/plain\r\nX-Evil: 1")
        #expect(!sent(by: respond([.range: "bytes=0-0,2-2"], with: forged)).contains("\nX-Evil"))
    }

    @Test("parts of content without a type have none")
    func untypedParts() {
        #expect(!sent(by: respond([.range: "bytes=0-0,2-2"], with: copy(mediaType: nil))).contains("Content-Type"))
    }

    @Test(
        "a range after the end gives 416 with the length (§15.5.17)",
        arguments: ["bytes=10-", "bytes=10-11,12-", "bytes=-0", "bytes=99999999999999999999-"]
    )
    func unsatisfiable(value: String) {
        let response = respond([.range: value])
        expectExplanation(response, .rangeNotSatisfiable)
        #expect(response.head.headerFields[.contentRange] == "bytes */10")
    }

    @Test(
        "a Range that is malformed or of another unit is ignored (§14.2)",
        arguments: ["bytes=5-4", "items=0-1", "bytes=x", "", "bytes=0-1,x"]
    )
    func ignoredRange(value: String) {
        #expect(respond([.range: value]).head == respond().head)
    }

    @Test(
        "If-Range decides between the part and the whole (§13.1.5)",
        arguments: [("\"now\"", 206), ("\"old\"", 200), ("W/\"now\"", 200), (date, 200), ("x", 200)]
    )
    func ifRange(value: String, status: Int) {
        #expect(respond([.range: "bytes=0-0", .ifRange: value]).head.status.code == status)
        #expect(respond([.range: "bytes=10-", .ifRange: value]).head.status.code == (status == 206 ? 416 : 200))
        #expect(respond([.ifRange: value]).head.status == .ok)
    }

    @Test("preconditions come before ranges (§13.2.2)")
    func order() {
        #expect(respond([.range: "bytes=10-", .ifNoneMatch: "\"now\""]).head.status == .notModified)
        #expect(respond([.range: "bytes=0-0", .ifNoneMatch: "\"old\""]).head.status == .partialContent)
        #expect(respond([.range: "bytes=0-0", .ifMatch: "\"now\""]).head.status == .partialContent)
    }

    @Test("a status other than 200 ignores conditions and ranges (§13.2.1, §14.2)", arguments: [404, 301, 410, 203])
    func otherStatus(code: Int) {
        let stored = copy(status: HTTPResponse.Status(code: code), fields: [.location: "/x"])
        let fields: HTTPFields = [.range: "bytes=0-0", .ifNoneMatch: "\"now\"", .ifMatch: "\"old\""]
        let response = respond(fields, with: stored)
        #expect(response.head.status.code == code)
        #expect(sent(by: response) == Self.digits)
        #expect(response.head.headerFields[.contentLength] == "10")
        #expect(response.head.headerFields[.location] == "/x")
        #expect(response.head.headerFields[.xContentTypeOptions] == "nosniff")
        #expect(!response.head.headerFields.contains(.acceptRanges))
    }

    @Test("a stored 204 has neither content nor its length (§8.6, §15.3.5)")
    func noContent() {
        let response = respond(with: copy(status: .noContent))
        #expect(response.body.isEmpty)
        #expect(!response.head.headerFields.contains(.contentLength))
    }

    @Test("stored fields that frame other content are replaced")
    func framing() {
        let fields: HTTPFields = [
            .contentLength: "999", .transferEncoding: "chunked", .acceptRanges: "none", .eTag: "\"other\"",
            .contentType: "a/b",
        ]
        #expect(respond(with: copy(fields: fields)).head == respond(with: copy(fields: [:])).head)
    }

    @Test("unknown fields aren't sent, and neither is a date that can't be written")
    func unknown() {
        let bare = Representation(mediaType: nil, content: ByteSlice(copying: []), lastModified: .distantFuture + 1e15)
        let response = respond(with: bare)
        #expect(
            response.head.headerFields == [
                .xContentTypeOptions: "nosniff", .acceptRanges: "bytes", .contentLength: "0",
            ]
        )
        #expect(response.body.isEmpty)
        #expect(respond([.range: "bytes=-5"], with: bare).head == response.head)
    }

    @Test(
        "every response with the representation has its cache status",
        arguments: [HTTPRequest.Method.get, .options, .put]
    )
    func cacheStatus(method: HTTPRequest.Method) {
        for fields in [[:], [.range: "bytes=0-0"], [.range: "bytes=99-"], [.ifMatch: "\"x\""]] as [HTTPFields] {
            #expect(respond(fields, method: method).head.headerFields[.cacheStatus] == "offline-bundles; hit")
        }
    }

    @Test("for any request, Content-Length is the body's and parts come from the content")
    func fuzz() {
        var generator = SeededGenerator(seed: 8)
        let pieces = ["0", "3", "9", "12", "-", "-", ",", " ", "99999999999999999999", "bytes=", "x"]
        for _ in 0..<5_000 {
            let response = respond([.range: "bytes=" + generator.text(of: pieces, maximumCount: 60)])
            #expect(response.head.headerFields[.contentLength] == String(response.body.byteCount))
            #expect([200, 206, 416].contains(response.head.status.code))
        }
    }

    @Test(
        "RFC 9111 §4.3.2: without a Last-Modified, If-Modified-Since is compared with the date of the stored response",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:36 GMT", HTTPResponse.Status.ok), ("Sun, 06 Nov 1994 08:49:37 GMT", .notModified),
            ("Sun, 06 Nov 1994 08:49:38 GMT", .notModified), ("yesterday", .ok),
        ]
    )
    func conditionDate(value: String, status: HTTPResponse.Status) {
        let dated = Representation(
            mediaType: nil,
            content: Self.representation.content,
            conditionDate: Date(timeIntervalSince1970: 784_111_777)
        )
        let response = respond([.ifModifiedSince: value], with: dated)
        #expect(response.head.status == status)
        #expect(response.head.headerFields[.lastModified] == nil)
        #expect(respond([.ifUnmodifiedSince: "Sun, 06 Nov 1994 08:49:36 GMT"], with: dated).head.status == .ok)
    }

    @Test("RFC 9110 §8.8.3: a tag with bytes that aren't UTF-8 gets its 304, and is sent as it was received")
    func obsText() throws {
        let bytes: [UInt8] = [0x22, 0xE9, 0x22]
        let tag = try #require(EntityTag(HTTPField(name: .eTag, value: bytes)))
        func response(_ value: [UInt8]) -> Response {
            respond(HTTPFields([HTTPField(name: .ifNoneMatch, value: value)]), with: copy(entityTag: tag))
        }
        #expect(response(bytes).head.status == .notModified)
        #expect(response(Array("\"x\", ".utf8) + bytes).head.status == .notModified)
        #expect(response([0x22, 0xE8, 0x22]).head.status == .ok)
        #expect(response([0x22, 0xE8, 0x22]).head.headerFields[fields: .eTag] == [tag.field(.eTag)])
    }

    @Test("a Content-Range of a whole response has no meaning, and is sent as it came (RFC 9110 §14.4)")
    func contentRangeOfWhole() {
        let odd = copy(fields: [.contentRange: "odd"])
        #expect(respond(with: odd).head.headerFields[.contentRange] == "odd")
        #expect(respond([.range: "bytes=0-0"], with: odd).head.headerFields[values: .contentRange] == ["bytes 0-0/10"])
        #expect(respond([.ifNoneMatch: "*"], with: odd).head.headerFields[.contentRange] == nil)
    }

    private func respond(
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get,
        with representation: Representation = Self.representation
    ) -> Response {
        let request = HTTPRequest(method: method, scheme: "http", authority: "a", path: "/", headerFields: fields)
        return Responder.respond(to: request, with: representation)
    }

    private func copy(
        status: HTTPResponse.Status = .ok,
        mediaType: String? = "text/plain",
        entityTag: EntityTag? = Self.representation.entityTag,
        fields: HTTPFields = Self.representation.fields
    ) -> Representation {
        Representation(
            status: status,
            mediaType: mediaType,
            content: Self.representation.content,
            entityTag: entityTag,
            lastModified: Self.representation.lastModified,
            fields: fields
        )
    }

    private func sent(by response: Response) -> String { String(decoding: response.body.array, as: UTF8.self) }

    private func expectExplanation(_ response: Response, _ status: HTTPResponse.Status) {
        let fields = response.head.headerFields
        #expect(response.head.status == status)
        #expect(fields[.contentType] == "text/plain; charset=utf-8")
        #expect(fields[.xContentTypeOptions] == "nosniff")
        #expect(fields[.contentLength] == String(response.body.byteCount))
        #expect(fields[.eTag] == nil)
        #expect(sent(by: response).hasSuffix(".\n"))
    }
}
