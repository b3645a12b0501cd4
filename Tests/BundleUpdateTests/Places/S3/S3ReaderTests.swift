import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleUpdate

@Suite("Reading a place in a bucket")
struct S3ReaderTests {
    private static let file = "\(S3Fixture.server)/shop/a/shop.zip"

    private let fixture: S3Fixture
    private let reader: S3Reader

    init() throws {
        fixture = try S3Fixture()
        reader = S3Reader(fixture.client)
    }

    private func response(_ name: String, _ fields: HTTPFields = [:]) async throws -> OriginResponse {
        try await reader.response(for: try #require(URL(string: "s3://shop/a/\(name)")), fields: fields)
    }

    @Test(
        "passes on what the updater understands",
        arguments: [200, 206, 304, 412, 416, 429, 503]
    )
    func status(_ status: Int) async throws {
        fixture.transport.response(Self.file) { _ in
            OriginResponse(HTTPResponse.Status(code: status), [.eTag: "\"1\""], "content")
        }
        let response = try await response("shop.zip")
        #expect(response.head.status.code == status && response.head.headerFields[.eTag] == "\"1\"")
        #expect(fixture.pauses == [])
    }

    @Test func `asks for a range of the file that it knows, and for all of another`() async throws {
        fixture.transport.response(Self.file) { request in
            request.headerFields[.ifMatch] == nil
                ? OriginResponse(.ok, [.eTag: "\"2\""], "whole") : S3Fixture.refusal(412, "PreconditionFailed")
        }
        let response = try await response("shop.zip", [.range: "bytes=2-", .ifRange: "\"1\""])
        #expect(response.head.status == .ok)
        let requests = fixture.transport.requests
        #expect(requests.map { $0.headerFields[.range] } == ["bytes=2-", nil])
        #expect(requests.map { $0.headerFields[.ifMatch] } == ["\"1\"", nil])
        #expect(requests.allSatisfy { $0.headerFields[.ifRange] == nil })
    }

    @Test(
        "sends what a store needs of the conditions",
        arguments: [
            ([.range: "bytes=2-5"], [.range: "bytes=2-5"]),
            ([.range: "bytes=2-5", .ifRange: "\"1\""], [.range: "bytes=2-5", .ifMatch: "\"1\""]),
            ([.range: "bytes=2-5", .ifRange: "W/\"1\""], [:]),
            ([.range: "bytes=2-5", .ifRange: "Fri, 24 May 2013 00:00:00 GMT"], [:]),
            ([.range: "bytes=0-1,4-5"], [:]),
            ([.ifNoneMatch: "\"1\"", .acceptEncoding: "gzip", .cookie: "a=b"], [.ifNoneMatch: "\"1\""]),
            ([.ifModifiedSince: "Fri, 24 May 2013 00:00:00 GMT"], [.ifModifiedSince: "Fri, 24 May 2013 00:00:00 GMT"]),
        ] as [(HTTPFields, HTTPFields)]
    )
    func conditions(_ fields: HTTPFields, _ sent: HTTPFields) async throws {
        fixture.transport.response(Self.file, .ok, [:], "content")
        _ = try await response("shop.zip", fields)
        let request = try #require(fixture.transport.requests.first)
        for name in [.range, .ifMatch, .ifRange, .ifNoneMatch, .ifModifiedSince, .cookie] as [HTTPField.Name] {
            #expect(request.headerFields[name] == sent[name])
        }
        #expect(request.headerFields[.acceptEncoding] == "identity")
    }

    @Test(
        "has 404 for an absent file, also from a store that doesn't permit listing",
        arguments: [(404, "NoSuchKey"), (404, nil), (403, "AccessDenied"), (403, nil)] as [(Int, String?)]
    )
    func absent(_ status: Int, _ code: String?) async throws {
        fixture.transport.response("\(S3Fixture.server)/shop/a/2.root.json") { _ in S3Fixture.refusal(status, code) }
        #expect(try await response("2.root.json").head.status == .notFound)
    }

    @Test func `says that the feed may not be read`() async throws {
        fixture.transport.response("\(S3Fixture.server)/shop/a/feed.json") { _ in S3Fixture.refusal(403, "AccessDenied")
        }
        let error = await #expect(throws: BundleError.self) { try await response("feed.json") }
        #expect(error?.code == .networkUnavailable && error?.remedy == .giveBucketCredentials)
    }

    @Test(
        "ends with an error about what isn't the file's",
        arguments: [
            (404, "NoSuchBucket"), (403, "SignatureDoesNotMatch"), (403, "RequestTimeTooSkewed"),
            (301, "PermanentRedirect"),
            (500, "InternalError"),
        ]
    )
    func refused(_ status: Int, _ code: String) async throws {
        fixture.transport.response(Self.file) { _ in
            S3Fixture.refusal(status, code, [.location: "https://elsewhere.example/"])
        }
        let error = await #expect(throws: BundleError.self) { try await response("shop.zip") }
        #expect(error?.s3Failure?.code == code && fixture.transport.requests.count == 1)
    }

    @Test(
        "asks nobody for what isn't below the feed",
        arguments: ["s3://shop/feed.json", "s3://other/a/feed.json", "s3://shop/a/../feed.json", "s3://shop/a/x?y"]
    )
    func outside(_ url: String) async throws {
        let url = try #require(URL(string: url))
        #expect(reader.reads(url))
        let error = await #expect(throws: BundleError.self) { try await reader.response(for: url, fields: [:]) }
        #expect(error?.code == .networkUnavailable && fixture.transport.requests.isEmpty)
    }

    @Test func `leaves other URLs to the network`() throws {
        #expect(!reader.reads(try #require(URL(string: "https://shop/a"))))
        #expect(!reader.reads(try #require(URL(string: "file:///shop/a"))))
    }
}
