import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

import enum Crypto.Insecure

@testable import BundlePublishing

/// The bucket `shop` of a store in memory, which does what S3's documentation says, unless a test wants less. Thread-safe.
final class S3Bucket: OriginTransport {
    struct Object: Equatable, Sendable {
        var bytes: [UInt8]
        var fields: HTTPFields
        /// Of the parts it was made of; nil for an object in one piece.
        var partCount: Int?

        var tag: String {
            "\"" + Hexadecimal.string(of: Insecure.MD5.hash(data: bytes)) + (partCount.map { "-\($0)" } ?? "") + "\""
        }

        init(_ bytes: [UInt8], fields: HTTPFields = [:], partCount: Int? = nil) {
            (self.bytes, self.fields, self.partCount) = (bytes, fields, partCount)
        }
    }

    struct Upload: Sendable {
        let key: String
        let fields: HTTPFields
        var parts: [Int: [UInt8]] = [:]
    }

    struct State: Sendable {
        var objects: [String: Object] = [:]
        var uploads: [String: Upload] = [:]
        /// The method, the key, and the names of the query of each request.
        var log: [String] = []
        var conditions = S3Conditions()
        var uploadCount = 0
    }

    let state = Mutex(State())
    /// Called before each request, with its line of the log: responds in the store's place, throws what the network would, or does nothing.
    let intercept = Mutex<@Sendable (String, HTTPRequest) async throws -> OriginResponse?>({ _, _ in nil })

    init(create: S3Conditions.Treatment = .kept, compare: S3Conditions.Treatment = .kept) {
        state.withLock { ($0.conditions.create, $0.conditions.compare) = (create, compare) }
    }

    var log: [String] { state.withLock { $0.log } }
    /// The texts of the objects by their keys.
    var texts: [String: String] {
        state.withLock { $0.objects.mapValues { String(decoding: $0.bytes, as: UTF8.self) } }
    }

    subscript(key: String) -> Object? {
        get { state.withLock { $0.objects[key] } }
        set { state.withLock { $0.objects[key] = newValue } }
    }

    func intercepting(_ body: @escaping @Sendable (String, HTTPRequest) async throws -> OriginResponse?) {
        intercept.withLock { $0 = body }
    }

    /// A client of the place `s3://shop/a`.
    func client(pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }) throws -> S3Client {
        S3Client(
            try S3Location("s3://shop/a"),
            configuration: try S3Configuration(environment: [
                "AWS_ENDPOINT_URL": "https://s3.example", "AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "SECRET",
            ]),
            transport: self,
            deadline: .seconds(600),
            pause: pause
        )
    }

    func send(_ call: OriginCall) async throws -> OriginResponse {
        var bytes: [UInt8] = []
        if let content = call.content { for try await chunk in content { bytes += chunk } }
        let target = URLComponents(string: "https://s3.example\(call.request.path ?? "")")
        let key = (target?.path.dropFirst("/shop/".count)).map(String.init) ?? ""
        let query = Dictionary(uniqueKeysWithValues: (target?.queryItems ?? []).map { ($0.name, $0.value ?? "") })
        let names = query.keys.sorted().joined(separator: " ")
        let line = [call.request.method.rawValue, key, names].filter { !$0.isEmpty }.joined(separator: " ")
        state.withLock { $0.log.append(line) }
        if let response = try await intercept.withLock({ $0 })(line, call.request) { return response }
        guard call.request.headerFields[HTTPField.Name("x-amz-content-sha256")!] == Digest(of: bytes).hex else {
            return Self.refusal(400, "XAmzContentSHA256Mismatch")
        }
        let fields = call.request.headerFields
        return state.withLock { state in
            switch (call.request.method, query.keys.contains("uploadId"), query.keys.contains("uploads")) {
            case (.get, false, false) where key.isEmpty: state.list(query["prefix"] ?? "")
            case (.get, false, true): state.listUploads(query["prefix"] ?? "")
            case (.get, true, _): state.listParts(query["uploadId"] ?? "")
            case (.post, false, true): state.begin(key, fields)
            case (.put, true, _): state.put(query["uploadId"] ?? "", Int(query["partNumber"] ?? "") ?? 0, bytes)
            case (.post, true, _): state.complete(query["uploadId"] ?? "", bytes, fields)
            case (.delete, true, _): state.abort(query["uploadId"] ?? "")
            case (.put, false, _): state.put(key, bytes, fields)
            case (.delete, false, _): state.delete(key)
            default: state.get(key, fields, isHead: call.request.method == .head)
            }
        }
    }

    static func refusal(_ status: Int, _ code: String) -> OriginResponse {
        OriginResponse(HTTPResponse.Status(code: status), [:], "<Error><Code>\(code)</Code></Error>")
    }
}

extension S3Bucket.State {
    /// The response when a condition doesn't hold, or isn't understood.
    private func refusal(of fields: HTTPFields, for key: String) -> OriginResponse? {
        let current = objects[key]
        let given: [(S3Conditions.Treatment, Bool)] = [
            fields[.ifNoneMatch].map { _ in (conditions.create, current == nil) },
            fields[.ifMatch].map { (conditions.compare, current?.tag == $0) },
        ].compactMap(\.self)
        for (treatment, holds) in given {
            if treatment == .refused { return S3Bucket.refusal(501, "NotImplemented") }
            if treatment == .kept, !holds {
                return fields[.ifMatch] != nil && current == nil
                    ? S3Bucket.refusal(404, "NoSuchKey") : S3Bucket.refusal(412, "PreconditionFailed")
            }
        }
        return nil
    }

    fileprivate mutating func put(_ key: String, _ bytes: [UInt8], _ fields: HTTPFields) -> OriginResponse {
        if let refusal = refusal(of: fields, for: key) { return refusal }
        let object = S3Bucket.Object(bytes, fields: fields)
        objects[key] = object
        return OriginResponse(.ok, [.eTag: object.tag])
    }

    fileprivate mutating func delete(_ key: String) -> OriginResponse {
        objects[key] = nil
        return OriginResponse(.noContent)
    }

    fileprivate func get(_ key: String, _ fields: HTTPFields, isHead: Bool) -> OriginResponse {
        guard let object = objects[key] else {
            return isHead ? OriginResponse(.notFound) : S3Bucket.refusal(404, "NoSuchKey")
        }
        if let tag = fields[.ifMatch], tag != object.tag { return S3Bucket.refusal(412, "PreconditionFailed") }
        var sent: HTTPFields = [.eTag: object.tag, .contentLength: String(object.bytes.count)]
        sent[.amzMetaSHA256] = object.fields[.amzMetaSHA256]
        return OriginResponse(.ok, sent, isHead ? [] : [object.bytes])
    }

    fileprivate func list(_ prefix: String) -> OriginResponse {
        let contents = objects.filter { $0.key.hasPrefix(prefix) && !$0.key.dropFirst(prefix.count).contains("/") }
            .sorted { $0.key < $1.key }.map { key, object in
                "<Contents><Key>\(S3XML.escaped(key))</Key><Size>\(object.bytes.count)</Size><ETag>\(object.tag)</ETag></Contents>"
            }
        return OriginResponse(.ok, [:], "<ListBucketResult>\(contents.joined())</ListBucketResult>")
    }

    fileprivate mutating func begin(_ key: String, _ fields: HTTPFields) -> OriginResponse {
        uploadCount += 1
        uploads["u\(uploadCount)"] = S3Bucket.Upload(key: key, fields: fields)
        let text = "<InitiateMultipartUploadResult><UploadId>u\(uploadCount)</UploadId></InitiateMultipartUploadResult>"
        return OriginResponse(.ok, [:], text)
    }

    fileprivate func listUploads(_ prefix: String) -> OriginResponse {
        let found = uploads.filter { $0.value.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
            .map { "<Upload><Key>\($1.key)</Key><UploadId>\($0)</UploadId></Upload>" }
        return OriginResponse(.ok, [:], "<ListMultipartUploadsResult>\(found.joined())</ListMultipartUploadsResult>")
    }

    fileprivate func listParts(_ identifier: String) -> OriginResponse {
        guard let upload = uploads[identifier] else { return S3Bucket.refusal(404, "NoSuchUpload") }
        let parts = upload.parts.sorted { $0.key < $1.key }.map { number, bytes in
            "<Part><PartNumber>\(number)</PartNumber><Size>\(bytes.count)</Size><ETag>\(S3Bucket.Object(bytes).tag)</ETag></Part>"
        }
        return OriginResponse(.ok, [:], "<ListPartsResult>\(parts.joined())</ListPartsResult>")
    }

    fileprivate mutating func put(_ identifier: String, _ number: Int, _ bytes: [UInt8]) -> OriginResponse {
        guard uploads[identifier] != nil else { return S3Bucket.refusal(404, "NoSuchUpload") }
        uploads[identifier]?.parts[number] = bytes
        return OriginResponse(.ok, [.eTag: S3Bucket.Object(bytes).tag])
    }

    fileprivate mutating func complete(_ identifier: String, _ list: [UInt8], _ fields: HTTPFields) -> OriginResponse {
        guard let upload = uploads[identifier] else { return S3Bucket.refusal(404, "NoSuchUpload") }
        if let refusal = refusal(of: fields, for: upload.key) { return refusal }
        let named = (try? S3XML.records("Part", in: list)) ?? []
        let parts = upload.parts.sorted { $0.key < $1.key }
        guard named.map({ $0["ETag"] }) == parts.map({ S3Bucket.Object($0.value).tag }) else {
            return S3Bucket.refusal(400, "InvalidPart")
        }
        objects[upload.key] = S3Bucket.Object(
            parts.flatMap(\.value),
            fields: upload.fields,
            partCount: parts.count
        )
        uploads[identifier] = nil
        return OriginResponse(.ok, [:], "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
    }

    fileprivate mutating func abort(_ identifier: String) -> OriginResponse {
        uploads[identifier] = nil
        return OriginResponse(.noContent)
    }
}
