import BundleStore
import Foundation
import HTTPTypes
import Testing

@testable import BundleUpdate

/// The examples of S3's documentation (“Authenticating Requests (AWS Signature Version 4)”, “Examples: Signature Calculations”).
@Suite("The signature of a request to an object store")
struct S3SignatureTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        var key: String?
        var query: [String: String] = [:]
        var fields: HTTPFields = [:]
        var payload = ""
        let names: String
        let signature: String

        var testDescription: String { "\(method) \(key ?? "") \(query)" }
    }

    private static let date = Date(timeIntervalSince1970: 1_369_353_600)

    static let examples = [
        Example(
            method: .get,
            key: "test.txt",
            fields: [.range: "bytes=0-9"],
            names: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Example(
            method: .put,
            key: "test$file.text",
            fields: [
                .date: "Fri, 24 May 2013 00:00:00 GMT", HTTPField.Name("x-amz-storage-class")!: "REDUCED_REDUNDANCY",
            ],
            payload: "Welcome to Amazon S3.",
            names: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Example(
            method: .get,
            query: ["lifecycle": ""],
            names: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Example(
            method: .get,
            query: ["prefix": "J", "max-keys": "2"],
            names: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    @Test("is that of AWS' examples", arguments: examples)
    func published(_ example: Example) throws {
        let credentials = try S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        )
        let query = S3Signature.query(example.query)
        var request = HTTPRequest(
            method: example.method,
            scheme: "https",
            authority: "examplebucket.s3.amazonaws.com",
            path: "/" + S3Location.path(ofKey: example.key ?? "") + (query.isEmpty ? "" : "?\(query)"),
            headerFields: example.fields
        )
        S3Signature(credentials, region: "us-east-1")
            .sign(&request, payload: Digest(of: Array(example.payload.utf8)), at: Self.date)
        #expect(
            request.headerFields[.authorization]
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=\(example.names),Signature=\(example.signature)"
        )
        #expect(request.headerFields[.amzDate] == "20130524T000000Z")
    }

    @Test func `covers the token of a key that expires, and fields without superfluous white space`() throws {
        let credentials = try S3Credentials(accessKey: "A", secretKey: "B", sessionToken: "C")
        var (plain, spaced) = (HTTPRequest(method: .get, scheme: "https", authority: "h", path: "/"), HTTPFields())
        spaced.append(HTTPField(name: .range, value: "a  b"))
        plain.headerFields[.range] = "a b"
        var other = plain
        other.headerFields = spaced
        let signature = S3Signature(credentials, region: "eu-west-1")
        signature.sign(&plain, payload: Digest(of: []), at: Self.date)
        signature.sign(&other, payload: Digest(of: []), at: Self.date)
        #expect(plain.headerFields[.amzSecurityToken] == "C")
        let authorization = try #require(plain.headerFields[.authorization])
        #expect(authorization.contains(";x-amz-security-token,") && authorization == other.headerFields[.authorization])
    }

    @Test func `has a query in the order of its names, percent-encoded`() {
        #expect(S3Signature.query(["uploads": "", "prefix": "a/b c", "X": "~"]) == "X=~&prefix=a%2Fb%20c&uploads=")
    }
}
