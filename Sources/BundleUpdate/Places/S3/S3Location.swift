import BundleStore
import Foundation
import HTTPCore

/// Where releases are published in a bucket of an object store: `s3://bucket/prefix`. Pure; a value type, safe to share between threads.
package struct S3Location: Hashable, Sendable {
    /// The longest key in bytes (S3, “Naming Amazon S3 objects”).
    private static let maximumKeyByteCount = 1_024
    private static let scheme = "s3://"

    /// The name of the bucket.
    package let bucket: String
    /// The names of the prefix, without their percent-encoding.
    private let names: [String]

    /// Parses an address strictly; a slash at its end is left out.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the bucket's name breaks AWS' rules, when a part of the
    ///   prefix is empty, `.` or `..`, for a query, and for a user.
    package init(_ text: String) throws(BundleError) {
        guard let location = Self.parse(text) else {
            throw BundleError(
                .invalidArgument,
                "\(URL.reported(text)) isn't the address of a bucket; write it as s3://bucket/prefix, percent-encoded"
            )
        }
        self = location
    }

    /// The place of a feed by the feed's URL; nil for a URL of another scheme.
    package init?(ofFeed url: URL) {
        guard let feed = Self.parse(url.absoluteString), !feed.names.isEmpty else { return nil }
        self.init(bucket: feed.bucket, names: feed.names.dropLast())
    }

    private init(bucket: String, names: some Sequence<String>) {
        self.bucket = bucket
        self.names = Array(names)
    }

    /// The URL of the feed, `s3://bucket/prefix/feed.json`, against which its relative references resolve.
    package var feedURL: URL {
        // Its characters are unreserved or percent-encoded.
        URL(string: "\(self)/feed.json") ?? URL(filePath: "/")
    }

    /// What the keys of the place's files begin with: empty, or with a slash at its end.
    package var keyPrefix: String { names.map { "\($0)/" }.joined() }

    /// The key of a file; `name` is a name without a slash.
    package func key(of name: String) -> String { keyPrefix + name }

    /// The key of a URL below the prefix; nil for any other.
    package func key(of url: URL) -> String? {
        let text = url.absoluteString
        guard text.utf8.last != UInt8(ascii: "/"), let file = Self.parse(text), file.bucket == bucket,
            file.names.count > names.count, file.names.starts(with: names)
        else { return nil }
        return file.names.joined(separator: "/")
    }

    /// A key as the path of a request has it, and as it is signed (S3, “Create a canonical request”): all but unreserved characters and
    /// slashes is percent-encoded.
    package static func path(ofKey key: String) -> String {
        key.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode(component: $0) }.joined(separator: "/")
    }

    private static func parse(_ text: String) -> S3Location? {
        guard text.prefix(scheme.count).lowercased() == scheme else { return nil }
        var parts = text.utf8.dropFirst(scheme.utf8.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let bucket = String(decoding: parts.removeFirst(), as: UTF8.self)
        if parts.last?.isEmpty == true { parts.removeLast() }
        let names = parts.compactMap(name)
        guard isBucketName(bucket), names.count == parts.count,
            names.joined(separator: "/").utf8.count <= maximumKeyByteCount
        else { return nil }
        return S3Location(bucket: bucket, names: names)
    }

    /// The name that a part of a path stands for; nil for what isn't one.
    private static func name(_ part: some Collection<UInt8>) -> String? {
        let isEncoded = part.allSatisfy { (0x21...0x7E).contains($0) && !##""#<>?\^`{|}"##.utf8.contains($0) }
        guard isEncoded, let name = PercentEncoding.decode(part), ConfinedFile.isName(name),
            name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return name
    }

    /// Whether a bucket can have this name (S3, “General purpose bucket naming rules”). The suffixes that are reserved there name access
    /// points, which requests may use in place of buckets.
    private static func isBucketName(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        func isLetterOrDigit(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) && !ASCII.isUppercase(byte) }
        return (3...63).contains(name.utf8.count)
            && name.utf8.allSatisfy { isLetterOrDigit($0) || [UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0) }
            && name.utf8.first.map(isLetterOrDigit) == true && name.utf8.last.map(isLetterOrDigit) == true
            && labels.allSatisfy { !$0.isEmpty }
            && !(labels.count == 4 && labels.allSatisfy { $0.allSatisfy(ASCII.isDigit) })
            && !["xn--", "sthree-", "amzn-s3-demo-"].contains(where: name.hasPrefix)
    }
}

extension S3Location: CustomStringConvertible {
    /// The address, percent-encoded, without a slash at its end.
    package var description: String {
        ([Self.scheme + bucket] + names.map { PercentEncoding.encode(component: $0) }).joined(separator: "/")
    }
}
