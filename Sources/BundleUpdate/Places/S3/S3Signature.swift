import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

import struct Crypto.HMAC
import struct Crypto.SHA256
import struct Crypto.SymmetricKey

/// Signs requests to an object store (AWS, “Signature Version 4”, in the `Authorization` field). Pure; a value type, safe to share between
/// threads.
package struct S3Signature: Sendable {
    private static let algorithm = "AWS4-HMAC-SHA256"

    private let credentials: S3Credentials
    private let region: String

    package init(_ credentials: S3Credentials, region: String) {
        (self.credentials, self.region) = (credentials, region)
    }

    /// Adds the fields that sign a request. What is added to it later isn't signed.
    ///
    /// - Parameters:
    ///   - request: One whose authority and path are set; its path is percent-encoded, and the query sorted and encoded, as
    ///     ``query(_:)`` does it. All its fields are signed.
    ///   - payload: The digest of its content.
    ///   - date: When it is signed.
    package func sign(_ request: inout HTTPRequest, payload: Digest, at date: Date) {
        let time = Self.text(of: date)
        request.headerFields[.amzDate] = time
        request.headerFields[.amzContentSHA256] = payload.hex
        request.headerFields[.amzSecurityToken] = credentials.sessionToken
        let (fields, names) = Self.canonicalFields(of: request)
        let scope = "\(time.prefix(8))/\(region)/s3/aws4_request"
        let text = Self.canonicalRequest(request, fields, names, payload)
        let digest = Digest(of: Array(text.utf8))
        let signature = signature(of: "\(Self.algorithm)\n\(time)\n\(scope)\n\(digest)", in: scope)
        request.headerFields[.authorization] =
            "\(Self.algorithm) Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),"
            + "Signature=\(signature)"
    }

    /// A query as it is sent and signed: sorted and encoded.
    static func query(_ parameters: [String: String]) -> String {
        // By the encoded names: those of S3 are ASCII letters and hyphens.
        parameters.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
            .map { "\(PercentEncoding.encode(component: $0.key))=\(PercentEncoding.encode(component: $0.value))" }
            .joined(separator: "&")
    }

    private static func canonicalRequest(_ request: HTTPRequest, _ fields: String, _ names: String, _ payload: Digest)
        -> String
    {
        let path = request.path ?? "/"
        let end = path.firstIndex(of: "?") ?? path.endIndex
        let query = path[end...].dropFirst()
        return "\(request.method.rawValue)\n\(path[..<end])\n\(query)\n\(fields)\n\(names)\n\(payload.hex)"
    }

    /// The lines of all fields, each with its end, and their names.
    private static func canonicalFields(of request: HTTPRequest) -> (lines: String, names: String) {
        var values = ["host": [request.authority ?? ""]]
        for field in request.headerFields {
            let words = field.value.split(whereSeparator: { $0 == " " || $0 == "\t" })
            values[field.name.canonicalName, default: []].append(words.joined(separator: " "))
        }
        let names = values.keys.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        let lines = names.map { "\($0):\(values[$0, default: []].joined(separator: ","))\n" }
        return (lines.joined(), names.joined(separator: ";"))
    }

    private func signature(of text: String, in scope: String) -> String {
        // The key of a day, a region and a service.
        let key = scope.split(separator: "/").reduce(SymmetricKey(data: Array("AWS4\(credentials.secretKey)".utf8))) {
            SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array($1.utf8), using: $0))
        }
        return Hexadecimal.string(of: HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }

    /// `20130524T000000Z`
    private static func text(of date: Date) -> String {
        let time = CalendarTime(clamping: HTTPDate(date)?.secondsSince1970 ?? 0)
        func digits(_ number: Int, _ count: Int) -> String {
            String(String(number + 10_000).suffix(count))
        }
        return digits(time.year, 4) + digits(time.month, 2) + digits(time.day, 2)
            + "T" + digits(time.hour, 2) + digits(time.minute, 2) + digits(time.second, 2) + "Z"
    }
}

extension HTTPField.Name {
    /// `x-amz-content-sha256`: the digest of a request's content.
    static let amzContentSHA256 = HTTPField.Name("x-amz-content-sha256")!
    /// `x-amz-date`: when a request was signed.
    static let amzDate = HTTPField.Name("x-amz-date")!
    /// `x-amz-security-token`: the token of a key that expires.
    static let amzSecurityToken = HTTPField.Name("x-amz-security-token")!
    /// `x-amz-bucket-region`: the region of a bucket.
    static let amzBucketRegion = HTTPField.Name("x-amz-bucket-region")!
    /// `x-amz-meta-sha256`: the digest of an object, which its publisher has given.
    package static let amzMetaSHA256 = HTTPField.Name("x-amz-meta-sha256")!
}
