import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// A request to an object store, before it is signed. A value type; safe to share between threads.
package struct S3Request: Sendable {
    package var method: HTTPRequest.Method
    /// The object; nil for the bucket.
    package var key: String?
    package var query: [String: String]
    /// All are signed.
    package var fields: HTTPFields
    /// What is sent; nil for nothing.
    package var content: S3Content?

    package init(
        _ method: HTTPRequest.Method,
        _ key: String?,
        query: [String: String] = [:],
        fields: HTTPFields = [:],
        content: S3Content? = nil
    ) {
        (self.method, self.key, self.query, self.fields, self.content) = (method, key, query, fields, content)
    }
}

/// What is sent to an object store. Safe to share between threads.
package struct S3Content: Sendable {
    /// The length in bytes.
    package let byteCount: Int64
    /// The SHA-256, which is signed: the store refuses other bytes.
    package let digest: Digest
    /// Begins to read it; each attempt does.
    package let open: @Sendable () -> BodyStream

    package init(byteCount: Int64, digest: Digest, open: @escaping @Sendable () -> BodyStream) {
        (self.byteCount, self.digest, self.open) = (byteCount, digest, open)
    }

    /// Content in memory.
    package init(_ bytes: [UInt8]) {
        self.init(byteCount: Int64(bytes.count), digest: Digest(of: bytes)) { BodyStream(bytes) }
    }
}

/// An object as a store describes it. A value type; safe to share between threads.
package struct S3Object: Hashable, Sendable {
    package let key: String
    /// The length in bytes.
    package let size: Int64
    /// The entity tag, with its quotation marks.
    package let tag: String
    /// The SHA-256 that its publisher has given; a listing doesn't have it.
    package let digest: Digest?

    package init(key: String, size: Int64, tag: String, digest: Digest? = nil) {
        (self.key, self.size, self.tag, self.digest) = (key, size, tag, digest)
    }
}

/// The API of an object store, as far as places need it, for one bucket (Amazon S3 API Reference). Safe to share between threads.
package struct S3Client: Sendable {
    /// How often a request is sent that may succeed a moment later.
    private static let maximumAttemptCount = 5
    /// The longest document that is read: a listing of 1,000 keys of 1,024 bytes, each of which an entity stands for.
    private static let maximumDocumentByteCount = 8 << 20
    /// The longest listing in documents, of up to 1,000 keys each.
    private static let maximumPageCount = 100
    /// The slowest transfer that is waited for, in bytes per second.
    private static let leastRate: Int64 = 16 << 10

    /// Where requests go.
    package let location: S3Location
    private let configuration: S3Configuration
    private let transport: any OriginTransport
    private let userAgent: String
    private let now: @Sendable () -> Date
    private let deadline: Duration
    /// Waits before another attempt; throws `CancellationError` when the task is cancelled.
    package let pause: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - location: The place.
    ///   - configuration: How the store is reached.
    ///   - transport: The network.
    ///   - userAgent: The `User-Agent` of the requests.
    ///   - now: The time, by which requests are signed.
    ///   - deadline: How long a request without content may take, with its response.
    ///   - pause: Waits.
    package init(
        _ location: S3Location,
        configuration: S3Configuration,
        transport: any OriginTransport,
        userAgent: String = Updater.Configuration.defaultUserAgent,
        now: @escaping @Sendable () -> Date = { Date() },
        deadline: Duration = .seconds(120),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.location = location
        self.configuration = configuration
        self.transport = transport
        self.userAgent = userAgent
        self.now = now
        self.deadline = deadline
        self.pause = pause
    }

    /// What identifies the place among all of all servers.
    package var identity: String { "\(configuration.server) \(location)" }

    /// Signs a request and sends it once; no redirect is followed, and none of an error's body is read.
    ///
    /// - Throws: As ``/HTTPCore/OriginTransport/send(_:)-(OriginCall)``.
    package func send(_ request: S3Request) async throws -> OriginResponse { try await transport.send(call(request)) }

    private func call(_ request: S3Request) -> OriginCall {
        let target = configuration.target(bucket: location.bucket, key: request.key)
        let query = S3Signature.query(request.query)
        var signed = HTTPRequest(
            method: request.method,
            scheme: target.scheme,
            authority: target.authority,
            path: query.isEmpty ? target.path : "\(target.path)?\(query)",
            headerFields: request.fields
        )
        if let credentials = configuration.credentials {
            S3Signature(credentials, region: configuration.region)
                .sign(&signed, payload: request.content?.digest ?? Digest(of: []), at: now())
        }
        // Proxies may change these.
        signed.headerFields[.userAgent] = userAgent
        signed.headerFields[.acceptEncoding] = "identity"
        var call = OriginCall(signed)
        if let content = request.content {
            call.request.headerFields[.contentLength] = String(content.byteCount)
            call.content = content.open()
        }
        return call
    }

    /// Sends a request, again after a moment where the store asks for that, and reads the whole response.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable`, and as its cause ``S3Failure`` for a response that isn't a
    ///   success; `outputUnavailable` when the store has no room; what reading the content throws; `CancellationError`.
    package func document(_ request: S3Request) async throws -> (head: HTTPResponse, bytes: [UInt8]) {
        for attempt in 1... {
            do {
                return try await attemptDocument(request)
            } catch let error as BundleError {
                guard attempt < Self.maximumAttemptCount, error.s3Failure?.isPassing == true else { throw error }
                // S3, “Retry behavior”: exponential, and not all at once.
                try await pause(.milliseconds(500 << (attempt - 1)) * Double.random(in: 0.5...1))
            }
        }
        throw CancellationError()
    }

    private func attemptDocument(_ request: S3Request) async throws -> (head: HTTPResponse, bytes: [UInt8]) {
        try await withinDeadline(of: request.key, for: request.content?.byteCount ?? 0) {
            let response = try await send(request)
            let isSuccess = response.head.status.kind == .successful
            let limit = isSuccess ? Self.maximumDocumentByteCount : S3Failure.maximumByteCount
            var bytes: [UInt8] = []
            for try await chunk in response.body {
                bytes += chunk
                guard bytes.count <= limit else {
                    if !isSuccess { break }
                    throw malformed(request.key)
                }
            }
            guard isSuccess else { throw failure(S3Failure(response.head, body: bytes), at: request.key) }
            return (response.head, bytes)
        }
    }

    /// Ends what takes longer than the deadline and the time in which the slowest network sends its bytes.
    ///
    /// - Throws: What `body` throws; ``/BundleModel/BundleError`` with code `networkUnavailable`.
    package func withinDeadline<Success: Sendable>(
        of key: String?,
        for byteCount: Int64,
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        try await withThrowingTaskGroup(of: Success.self) { group in
            group.addTask { try await body() }
            // The first of the two to end decides.
            group.addTask {
                try await Task.sleep(for: deadline + .seconds(byteCount / Self.leastRate))
                let problem = "\(name(of: key)): \(configuration.server) is too slow; try again later"
                throw BundleError(.networkUnavailable, problem)
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    /// The error for a response.
    package func failure(_ failure: S3Failure, at key: String?) -> BundleError {
        failure.error(at: name(of: key), of: configuration.server)
    }

    /// What messages call an object, or the bucket.
    package func name(of key: String?) -> String {
        "s3://\(location.bucket)" + (key.map { "/" + S3Location.path(ofKey: Printable.text($0)) } ?? "")
    }

    /// Asks for an object's description.
    ///
    /// - Returns: Nil when it isn't there.
    /// - Throws: As ``document(_:)``.
    package func describe(_ key: String) async throws -> S3Object? {
        do {
            let (head, _) = try await document(S3Request(.head, key))
            guard let size = head.headerFields[.contentLength].flatMap(Int64.init), size >= 0,
                let tag = head.headerFields[.eTag]
            else { throw malformed(key) }
            return S3Object(
                key: key,
                size: size,
                tag: tag,
                digest: head.headerFields[.amzMetaSHA256].flatMap { Digest(hex: $0) }
            )
        } catch let error as BundleError where error.s3Failure?.isAbsence == true {
            return nil
        }
    }

    /// Lists the objects whose keys begin with the place's prefix, and have no slash behind it.
    ///
    /// - Throws: As ``document(_:)``, also when there are more than 100,000.
    package func list() async throws -> [S3Object] {
        var objects: [S3Object] = []
        var query = ["list-type": "2", "prefix": location.keyPrefix, "delimiter": "/"]
        for _ in 1...Self.maximumPageCount {
            let (_, bytes) = try await document(S3Request(.get, nil, query: query))
            guard let page = try? S3XML.records("ListBucketResult", in: bytes).first,
                let contents = try? S3XML.records("Contents", in: bytes)
            else { throw malformed(nil) }
            objects += try contents.map(object)
            guard page["IsTruncated"] == "true" else { return objects }
            guard let token = page["NextContinuationToken"], token != query["continuation-token"] else {
                throw malformed(nil)
            }
            query["continuation-token"] = token
        }
        throw BundleError(
            .networkUnavailable,
            "\(location) has over \(objects.count) files; publish to a prefix of its own"
        )
    }

    private func object(_ record: [String: String]) throws(BundleError) -> S3Object {
        guard let key = record["Key"], key.hasPrefix(location.keyPrefix), let tag = record["ETag"],
            let size = record["Size"].flatMap(Int64.init), size >= 0
        else { throw malformed(nil) }
        return S3Object(key: key, size: size, tag: tag)
    }

    /// The error for a response that isn't one of S3.
    package func malformed(_ key: String?) -> BundleError {
        BundleError(
            .networkUnavailable,
            "\(name(of: key)): the response of \(configuration.server) isn't one of S3; check the address of the server"
        )
    }
}

extension BundleError {
    /// The response of an object store that has caused it.
    package var s3Failure: S3Failure? { cause as? S3Failure }
}
