import BundleServing
import BundleStore
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("Fields of every response")
struct AddedFieldsTests {
    @Test("a field is added where it is missing, and the later of two of one name counts")
    func added() throws {
        let fields = AddedFields(try Self.fields(["X-A": "1"]) + Self.fields(["x-a": "2"]) + Self.fields(["X-B": "3"]))
        let head = HTTPResponse(status: .ok, headerFields: [HTTPField.Name("X-B")!: "manifest"])
        let result = fields.decorated(head, for: Self.request(), isSecure: false).headerFields
        #expect(result[HTTPField.Name("X-A")!] == "2")
        #expect(result[HTTPField.Name("X-B")!] == "manifest")
        let malformed = fields.decorated(HTTPResponse(status: .badRequest), for: nil, isSecure: false)
        #expect(malformed.headerFields[HTTPField.Name("X-A")!] == "2")
    }

    @Test("a cookie is added beside the version cookie")
    func cookie() throws {
        let fields = AddedFields(try Self.fields(["Set-Cookie": "a=b"]))
        let head = HTTPResponse(status: .ok, headerFields: [.setCookie: "offline-bundles.shop=1.0.0"])
        let result = fields.decorated(head, for: Self.request(), isSecure: false).headerFields
        #expect(result[values: .setCookie] == ["offline-bundles.shop=1.0.0", "a=b"])
    }

    @Test("a 304 doesn't replace the manifest's fields, which the client has")
    func notModified() throws {
        let fields = AddedFields(
            try Self.fields(["Content-Security-Policy": "default-src 'none'"]),
            sharedWith: [.any]
        )
        let result = fields.decorated(HTTPResponse(status: .notModified), for: Self.request(), isSecure: true)
        #expect(result.headerFields[.contentSecurityPolicy] == nil)
        #expect(result.headerFields[.accessControlAllowOrigin] == "*")
    }

    @Test("Strict-Transport-Security is sent over TLS only, whatever its source", arguments: [true, false])
    func transportSecurity(isSecure: Bool) throws {
        let option = AddedFields(try Self.fields(["Strict-Transport-Security": "max-age=1"]))
        let head = HTTPResponse(status: .ok)
        var manifests = head
        manifests.headerFields[.strictTransportSecurity] = "max-age=1"
        for (fields, head) in [(option, head), (AddedFields(), manifests)] {
            let result = fields.decorated(head, for: Self.request(), isSecure: isSecure)
            #expect(result.headerFields[.strictTransportSecurity] == (isSecure ? "max-age=1" : nil))
        }
    }

    struct Case: Sendable {
        let origins: Set<AllowedOrigin>
        let origin: String?
        let allowed: String?
        let vary: String?
    }

    @Test(
        "allowed origins are named, and Vary includes Origin",
        arguments: [
            Case(origins: [], origin: "https://a", allowed: nil, vary: "Accept-Encoding"),
            Case(origins: [.any], origin: "https://a", allowed: "*", vary: "Accept-Encoding"),
            Case(origins: [.any], origin: nil, allowed: "*", vary: "Accept-Encoding"),
            Case(
                origins: [.named("https://a")],
                origin: "https://a",
                allowed: "https://a",
                vary: "Accept-Encoding, Origin"
            ),
            Case(origins: [.named("https://a")], origin: "https://b", allowed: nil, vary: "Accept-Encoding, Origin"),
            Case(origins: [.named("https://a")], origin: nil, allowed: nil, vary: "Accept-Encoding, Origin"),
        ]
    )
    func sharing(_ row: Case) {
        let head = HTTPResponse(status: .ok, headerFields: [.vary: "Accept-Encoding"])
        let request = Self.request(row.origin.map { [.origin: $0] } ?? [:])
        let result = AddedFields(sharedWith: row.origins).decorated(head, for: request, isSecure: false).headerFields
        #expect(result[.accessControlAllowOrigin] == row.allowed)
        #expect(result[.vary] == row.vary)
        #expect((result[.accessControlExposeHeaders] != nil) == (row.allowed != nil))
    }

    @Test("the manifest's CORS fields are kept, and Origin is in Vary once", arguments: ["*", "Accept, origin"])
    func kept(_ vary: String) {
        let fields = AddedFields(sharedWith: [.named("https://a")])
        let request = Self.request([.origin: "https://a"])
        let own = HTTPResponse(status: .ok, headerFields: [.accessControlAllowOrigin: "https://m"])
        #expect(fields.decorated(own, for: request, isSecure: false) == own)
        let head = HTTPResponse(status: .ok, headerFields: [.vary: vary])
        #expect(fields.decorated(head, for: request, isSecure: false).headerFields[.vary] == vary)
    }

    @Test("a preflight gets the methods and fields that it may send")
    func preflight() {
        var request = Self.request([
            .origin: "https://a", .accessControlRequestMethod: "GET",
            .accessControlRequestHeaders: "range,x-token", .accessControlRequestPrivateNetwork: "true",
        ])
        request.method = .options
        let fields = AddedFields(sharedWith: [.named("https://a")])
        let result = fields.decorated(HTTPResponse(status: .noContent), for: request, isSecure: false).headerFields
        #expect(result[.accessControlAllowOrigin] == "https://a")
        #expect(result[.accessControlAllowMethods] == "GET, HEAD, OPTIONS")
        #expect(result[.accessControlAllowHeaders] == "range,x-token")
        #expect(result[.accessControlAllowPrivateNetwork] == "true")
        #expect(result[.accessControlMaxAge] == "7200")
        request.headerFields[.accessControlRequestHeaders] = "a b"
        let odd = fields.decorated(HTTPResponse(status: .noContent), for: request, isSecure: false).headerFields
        #expect(odd[.accessControlAllowHeaders] == nil)
    }

    @Test(
        "each security field that a static host should support can be set",
        arguments: [
            ("Content-Security-Policy", "default-src 'self'"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Embedder-Policy", "require-corp"), ("Permissions-Policy", "camera=()"),
            ("Referrer-Policy", "no-referrer"), ("Strict-Transport-Security", "max-age=63072000; includeSubDomains"),
            ("X-Frame-Options", "DENY"),
        ]
    )
    func settable(_ name: String, _ value: String) throws {
        let fields = AddedFields(try Self.fields([name: value]))
        let result = fields.decorated(HTTPResponse(status: .ok), for: Self.request(), isSecure: true)
        #expect(result.headerFields[try #require(HTTPField.Name(name))] == value)
    }

    private static func fields(_ fields: KeyValuePairs<String, String>) throws -> [HeaderField] {
        try fields.map { try #require(HeaderField(name: $0.key, value: $0.value)) }
    }

    private static func request(_ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/", headerFields: fields)
    }
}
