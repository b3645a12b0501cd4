import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

@testable import BundleUpdate

/// A client of the bucket `shop` at `https://s3.example`, on a network in memory.
struct S3Fixture {
    static let server = "https://s3.example"
    static let tooSkewed = "The difference between the request time and the server's time is too large."

    let transport = ScriptedTransport()
    let client: S3Client
    private let paused: Monitor<[Duration]>

    /// The waits so far.
    var pauses: [Duration] { paused.state }

    init(_ environment: [String: String] = Self.keys, deadline: Duration = .seconds(600)) throws {
        let paused = Monitor<[Duration]>([])
        self.paused = paused
        client = S3Client(
            try S3Location("s3://shop/a"),
            configuration: try S3Configuration(
                environment: environment.merging(["AWS_ENDPOINT_URL": Self.server]) { $1 }
            ),
            transport: transport,
            now: { Date(timeIntervalSince1970: 1_369_353_600) },
            deadline: deadline,
            pause: { pause in paused.update { $0.append(pause) } }
        )
    }

    static let keys = ["AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "SECRET"]

    /// The response with an error of S3.
    static func refusal(_ status: Int, _ code: String?, _ fields: HTTPFields = [:], rest: String = "") -> OriginResponse
    {
        let text = code.map {
            "<?xml version=\"1.0\"?>\n<Error><Code>\($0)</Code><Message>No.</Message>\(rest)</Error>"
        }
        return OriginResponse(HTTPResponse.Status(code: status), fields, text ?? "")
    }
}

@Suite("A client of an object store")
struct S3ClientTests {
    private static let listURL = "\(S3Fixture.server)/shop?delimiter=%2F&list-type=2&prefix=a%2F"

    @Test func `signs its requests, and sends them to the bucket in the path`() async throws {
        let fixture = try S3Fixture()
        fixture.transport.response("\(S3Fixture.server)/shop/a/x%20y", .ok, [:], "content")
        _ = try await fixture.client.document(S3Request(.get, "a/x y"))
        let request = try #require(fixture.transport.requests.first)
        let authorization = request.headerFields[.authorization] ?? ""
        #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=KEY/20130524/us-east-1/s3/aws4_request,"))
        #expect(request.headerFields[.amzContentSHA256] == Digest(of: []).hex)
        #expect(request.headerFields[.userAgent] != nil && !"\(request)".contains("SECRET"))
    }

    @Test func `signs nothing without a key`() async throws {
        let fixture = try S3Fixture([:])
        fixture.transport.response("\(S3Fixture.server)/shop/a/x", .ok, [:], "content")
        _ = try await fixture.client.document(S3Request(.get, "a/x"))
        let fields = try #require(fixture.transport.requests.first).headerFields
        #expect(fields[.authorization] == nil && fields[.amzDate] == nil)
    }

    @Test func `lists the objects below the prefix, from all pages`() async throws {
        let fixture = try S3Fixture()
        fixture.transport.response(
            Self.listURL,
            .ok,
            [:],
            """
            <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a/b=</NextContinuationToken>
            <Contents><Key>a/b</Key><Size>1</Size><ETag>&quot;1&quot;</ETag></Contents></ListBucketResult>
            """
        )
        fixture.transport.response(
            "\(S3Fixture.server)/shop?continuation-token=a%2Fb%3D&delimiter=%2F&list-type=2&prefix=a%2F",
            .ok,
            [:],
            """
            <ListBucketResult><IsTruncated>false</IsTruncated>
            <Contents><Key>a/c</Key><Size>2</Size><ETag>"2"</ETag></Contents></ListBucketResult>
            """
        )
        let objects = try await fixture.client.list()
        #expect(
            objects == [S3Object(key: "a/b", size: 1, tag: "\"1\""), S3Object(key: "a/c", size: 2, tag: "\"2\"")]
        )
    }

    @Test(
        "refuses a listing that can't be one",
        arguments: [
            "", "<html></html>", "<ListBucketResult>",
            "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
            "<ListBucketResult><Contents><Key>b/c</Key><Size>1</Size><ETag>1</ETag></Contents></ListBucketResult>",
            "<ListBucketResult><Contents><Key>a/c</Key><Size>-1</Size><ETag>1</ETag></Contents></ListBucketResult>",
            "<ListBucketResult><Contents><Key>a/c</Key><Size>1</Size></Contents></ListBucketResult>",
            String(repeating: " ", count: 9 << 20),
        ]
    )
    func badListing(_ text: String) async throws {
        let fixture = try S3Fixture()
        fixture.transport.response(Self.listURL, .ok, [:], text)
        let error = await #expect(throws: BundleError.self) { try await fixture.client.list() }
        #expect(error?.code == .networkUnavailable && error?.message.contains("isn't one of S3") == true)
    }

    @Test func `ends a listing that goes round in circles`() async throws {
        let fixture = try S3Fixture()
        let text = """
            <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>
            """
        fixture.transport.response(Self.listURL, .ok, [:], text)
        fixture.transport.response(
            "\(S3Fixture.server)/shop?continuation-token=x&delimiter=%2F&list-type=2&prefix=a%2F",
            .ok,
            [:],
            text
        )
        await #expect(throws: BundleError.self) { try await fixture.client.list() }
        #expect(fixture.transport.requests.count == 2)
    }

    @Test(
        "says what puts an error right",
        arguments: [
            (404, "NoSuchBucket", "no such bucket", nil),
            (403, "AccessDenied", "403 (AccessDenied)", .giveBucketCredentials),
            (403, "SignatureDoesNotMatch", "403 (SignatureDoesNotMatch)", .giveBucketCredentials),
            (403, "InvalidAccessKeyId", "InvalidAccessKeyId", .giveBucketCredentials),
            (400, "ExpiredToken", "ExpiredToken", .giveBucketCredentials),
            (403, "RequestTimeTooSkewed", "the clock of this machine", nil),
            (301, "PermanentRedirect", "301", .nameBucketRegion("eu-west-3")),
            (400, "AuthorizationHeaderMalformed", "400", .nameBucketRegion("eu-west-3")),
            (307, nil, "307", .nameBucketRegion("eu-west-3")),
            (401, nil, "401", .giveBucketCredentials),
            (405, "MethodNotAllowed", "the server's log", nil),
            (404, "NoSuchKey", "check the address", nil),
        ] as [(Int, String?, String, Remedy?)]
    )
    func errors(_ status: Int, _ code: String?, _ text: String, _ remedy: Remedy?) async throws {
        let fixture = try S3Fixture()
        fixture.transport.response("\(S3Fixture.server)/shop/a/x") { _ in
            S3Fixture.refusal(status, code, [.amzBucketRegion: "eu-west-3"])
        }
        let error = await #expect(throws: BundleError.self) {
            try await fixture.client.document(S3Request(.get, "a/x"))
        }
        #expect(error?.code == .networkUnavailable && error?.remedy == remedy)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        #expect(error?.problem.hasPrefix("s3://shop/a/x: https://s3.example responded with \(status)") == true)
        #expect(fixture.pauses == [])
    }

    @Test func `takes a region only for one, and a message only for text`() async throws {
        let fixture = try S3Fixture()
        fixture.transport.response("\(S3Fixture.server)/shop/a/x") { _ in
            S3Fixture.refusal(301, "\u{1B}[31m", [.amzBucketRegion: "eu west; rm"])
        }
        let error = await #expect(throws: BundleError.self) {
            try await fixture.client.document(S3Request(.get, "a/x"))
        }
        #expect(error?.remedy == .nameBucketRegion(nil) && error?.s3Failure?.code == nil)
    }

    @Test(
        "tries again what may pass, with longer and longer waits",
        arguments: [
            (503, "SlowDown"), (500, "InternalError"), (502, nil), (503, nil), (429, nil),
            (409, "ConditionalRequestConflict"),
            (409, "OperationAborted"), (400, "RequestTimeout"),
        ] as [(Int, String?)]
    )
    func retries(_ status: Int, _ code: String?) async throws {
        let fixture = try S3Fixture()
        fixture.transport.response("\(S3Fixture.server)/shop/a/x") { [transport = fixture.transport] _ in
            transport.requests.count < 4 ? S3Fixture.refusal(status, code) : OriginResponse(.ok, [:], "content")
        }
        let bytes = try await fixture.client.document(S3Request(.get, "a/x")).bytes
        #expect(bytes == Array("content".utf8) && fixture.pauses.count == 3)
        for (number, pause) in fixture.pauses.enumerated() {
            #expect((Duration.milliseconds(250 << number)...(.milliseconds(500 << number))).contains(pause))
        }
    }

    @Test func `gives up after five attempts`() async throws {
        let fixture = try S3Fixture()
        fixture.transport.response("\(S3Fixture.server)/shop/a/x") { _ in S3Fixture.refusal(503, "SlowDown") }
        let error = await #expect(throws: BundleError.self) {
            try await fixture.client.document(S3Request(.get, "a/x"))
        }
        #expect(error?.message.hasSuffix("try again later") == true)
        #expect(fixture.transport.requests.count == 5 && fixture.pauses.count == 4)
    }

    @Test func `says that a store has no room`() async throws {
        let fixture = try S3Fixture()
        fixture.transport.response("\(S3Fixture.server)/shop/a/x") { _ in S3Fixture.refusal(507, nil) }
        let error = await #expect(throws: BundleError.self) {
            try await fixture.client.document(S3Request(.put, "a/x", content: S3Content([1])))
        }
        #expect(error?.code == .outputUnavailable)
    }

    @Test func `reads no more of an error than there can be`() async throws {
        let fixture = try S3Fixture()
        let chunks = [Array("<Error><Code>NoSuchBucket</Code></Error>".utf8), [UInt8](repeating: 0x20, count: 1 << 20)]
        fixture.transport.response("\(S3Fixture.server)/shop/a/x") { _ in
            OriginResponse(.notFound, [:], chunks, failure: OriginResponse.connectionLost)
        }
        let error = await #expect(throws: BundleError.self) {
            try await fixture.client.document(S3Request(.get, "a/x"))
        }
        #expect(error?.s3Failure?.code == "NoSuchBucket")
    }

    @Test func `ends a request whose response doesn't come`() async throws {
        let fixture = try S3Fixture(deadline: .milliseconds(1))
        let never = Latch()
        fixture.transport.response("\(S3Fixture.server)/shop/a/x") { _ in
            try await never.wait()
            return OriginResponse(.ok, [:], "")
        }
        let error = await #expect(throws: BundleError.self) {
            try await fixture.client.document(S3Request(.get, "a/x"))
        }
        #expect(error?.message.contains("too slow") == true)
    }

    @Test func `describes an object with its digest, and nothing that isn't there`() async throws {
        let fixture = try S3Fixture()
        let digest = Digest(of: [1])
        fixture.transport.response("\(S3Fixture.server)/shop/a/x") { _ in
            OriginResponse(.ok, [.contentLength: "12", .eTag: "\"1\"", .amzMetaSHA256: digest.hex])
        }
        fixture.transport.response("\(S3Fixture.server)/shop/a/y") { _ in OriginResponse(.notFound) }
        let object = try await fixture.client.describe("a/x")
        #expect(object == S3Object(key: "a/x", size: 12, tag: "\"1\"", digest: digest))
        #expect(try await fixture.client.describe("a/y") == nil)
        #expect(fixture.transport.requests.map(\.method) == [.head, .head])
    }
}
