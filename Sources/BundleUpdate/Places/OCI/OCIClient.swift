import BundleModel
import Foundation
import HTTPCore
import HTTPTypes

/// Speaks with a registry about one repository, by the OCI's distribution specification 1.1. Credentials and tokens go to the registry and
/// its token service alone. A value type, whose copies share tokens; safe to share between threads.
package struct OCIClient: Sendable {
    /// Gets the credential for the registry of a reference; nil for none.
    package typealias CredentialSource = @Sendable (OCIReference) async throws -> RegistryCredential?

    private static let maximumRedirects = 5
    private static let maximumResumptionCount = 4
    /// How long a registry's description of an error may be in bytes.
    private static let maximumErrorByteCount = 64 << 10

    /// The repository, and the tag that is read.
    package let reference: OCIReference
    private let transport: any OriginTransport
    private let userAgent: String
    private let authorization: RegistryAuthorization

    /// - Parameters:
    ///   - reference: The repository.
    ///   - access: What is asked of its token service.
    ///   - transport: The network.
    ///   - userAgent: The User-Agent of the requests.
    ///   - credential: Called when the registry asks for one.
    ///   - now: The time, by which tokens expire.
    package init(
        _ reference: OCIReference,
        _ access: RegistryAccess = .pull,
        over transport: any OriginTransport,
        userAgent: String = Updater.Configuration.defaultUserAgent,
        credential: @escaping CredentialSource = { _ in nil },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.reference, self.transport, self.userAgent) = (reference, transport, userAgent)
        authorization = RegistryAuthorization(reference, access, over: transport, credential: credential, now: now)
    }

    // MARK: - Manifests

    /// A manifest as the registry has it.
    package struct ReceivedManifest: Sendable {
        package let manifest: OCIManifest
        /// The SHA-256 of its bytes.
        package let digest: Digest
        /// The entity tag that the registry has given it.
        let entityTag: String?
    }

    /// What a registry says of a manifest.
    enum ManifestResponse: Sendable {
        case found(ReceivedManifest)
        /// It is the one whose entity tag was sent.
        case unchanged
        /// There is none of this name, or no such repository.
        case absent
    }

    /// The manifest of a tag; nil when there is none.
    ///
    /// - Parameter tag: Nil for that of the reference.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the registry can't be reached, or doesn't permit it;
    ///   `invalidFeed` when it isn't one that can be read.
    package func manifest(tag: String? = nil) async throws -> ReceivedManifest? {
        guard case .found(let manifest) = try await manifest(named: tag ?? reference.tag) else { return nil }
        return manifest
    }

    /// The manifest with a digest; nil when there is none.
    ///
    /// - Throws: As ``manifest(tag:)``.
    package func manifest(_ digest: Digest) async throws -> ReceivedManifest? {
        guard case .found(let manifest) = try await manifest(named: OCIDigest.text(digest)) else { return nil }
        guard manifest.digest == digest else { throw damaged("the manifest \(OCIDigest.text(digest))") }
        return manifest
    }

    /// - Parameters:
    ///   - name: A tag or a digest.
    ///   - entityTag: That of the manifest that is there; nil for none.
    func manifest(named name: String, unless entityTag: String? = nil) async throws -> ManifestResponse {
        var fields: HTTPFields = [.accept: OCIManifest.mediaType]
        fields[.ifNoneMatch] = entityTag
        let response = try await send(.get, path("manifests/\(name)"), fields)
        switch response.head.status.code {
        case 200: break
        case 304 where entityTag != nil: return .unchanged
        case 404: return .absent
        default: throw await refusal(of: response, "the manifest “\(name)”")
        }
        guard let bytes = try await response.body.bytes(atMost: OCIManifest.maximumByteCount) else {
            throw BundleError(
                .invalidFeed,
                "\(reference): the manifest has over \(OCIManifest.maximumByteCount) bytes; is it a feed?"
            )
        }
        let digest = Digest(of: bytes)
        // Other algorithms may be the registry's own.
        if let claimed = Self.contentDigest(of: response.head), claimed != digest {
            throw damaged("the manifest “\(name)”")
        }
        return .found(
            ReceivedManifest(
                manifest: try OCIManifest(parsing: bytes, named: "\(reference)"),
                digest: digest,
                entityTag: response.head.headerFields[.eTag]
            )
        )
    }

    /// The digest of the manifest of the reference's tag; nil when there is none.
    ///
    /// - Throws: As ``manifest(tag:)``.
    package func manifestDigest() async throws -> Digest? {
        let response = try await send(.head, path("manifests/\(reference.tag)"), [.accept: OCIManifest.mediaType])
        switch response.head.status.code {
        case 404: return nil
        case 200:
            if let digest = Self.contentDigest(of: response.head) { return digest }
            return try await manifest()?.digest
        default: throw await refusal(of: response, "the manifest “\(reference.tag)”")
        }
    }

    /// Puts a manifest at a tag, in place of the one that is there.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the registry can't be reached, or doesn't permit it.
    package func put(_ manifest: OCIManifest, tag: String) async throws {
        let response = try await send(
            .put,
            path("manifests/\(tag)"),
            [.contentType: OCIManifest.mediaType],
            content: manifest.encoded
        )
        guard response.head.status.kind == .successful else {
            throw await refusal(of: response, "the manifest “\(tag)”")
        }
        _ = try await response.body.bytes(atMost: Self.maximumErrorByteCount)
    }

    // MARK: - Blobs

    /// Whether the repository has a blob.
    ///
    /// - Throws: As ``manifest(tag:)``.
    func has(_ digest: Digest) async throws -> Bool {
        let response = try await send(.head, path("blobs/\(OCIDigest.text(digest))"))
        switch response.head.status.code {
        case 200: return true
        case 404: return false
        default: throw await refusal(of: response, "the blob \(OCIDigest.text(digest))")
        }
    }

    /// Asks for a blob, or a part of it.
    ///
    /// - Parameter range: The part; nil for the whole.
    /// - Returns: A response with status 200 or 206, from wherever the registry has the blob.
    /// - Throws: As ``manifest(tag:)``.
    func blob(_ digest: Digest, _ range: Range<Int64>? = nil) async throws -> OriginResponse {
        var fields: HTTPFields = [:]
        fields[.range] = range.map { "bytes=\($0.lowerBound)-\($0.upperBound - 1)" }
        let response = try await send(.get, path("blobs/\(OCIDigest.text(digest))"), fields)
        guard [200, 206].contains(response.head.status.code) else {
            throw await refusal(of: response, "the blob \(OCIDigest.text(digest))")
        }
        return response
    }

    /// Reads a whole blob. What a broken connection has left out is asked for again, as long as each attempt brings something.
    ///
    /// - Parameters:
    ///   - size: Its length in bytes.
    ///   - take: Gets its chunks in their order. Compare the digest of them all.
    /// - Throws: As ``manifest(tag:)``, and what `take` throws.
    package func read(_ digest: Digest, size: Int64, _ take: ([UInt8]) throws -> Void) async throws {
        var position: Int64 = 0
        for attempt in 0... {
            let start = position
            do {
                for try await chunk in try await rest(of: digest, size, from: start) {
                    guard Int64(chunk.count) <= size - position else {
                        throw damaged("the blob \(OCIDigest.text(digest))")
                    }
                    position += Int64(chunk.count)
                    try take(chunk)
                }
                guard position == size else {
                    throw BundleError(
                        .networkUnavailable,
                        "\(reference): the blob \(OCIDigest.text(digest)) ended early; try again"
                    )
                }
                return
            } catch let error as BundleError where error.code == .networkUnavailable {
                guard attempt < Self.maximumResumptionCount, position > start, position < size else { throw error }
            }
        }
    }

    private func rest(of digest: Digest, _ size: Int64, from start: Int64) async throws -> BodyStream {
        let response = try await blob(digest, start > 0 ? start..<size : nil)
        guard start == 0 || response.head.receivedPart?.range == start..<size else {
            throw BundleError(.networkUnavailable, "\(reference): the registry doesn't go on with a blob; try again")
        }
        return response.body
    }

    // MARK: - Requests

    /// The URL of something in the repository.
    func path(_ name: String) throws(BundleError) -> OriginTarget {
        guard let target = OriginTarget("\(reference.origin)/v2/\(reference.repository)/\(name)") else {
            throw BundleError(.invalidArgument, "\(reference) isn't a reference")
        }
        return target
    }

    /// Sends a request. After a 401 of the registry it is sent once more, with a new token; a GET and a HEAD follow redirects, to which other origins
    /// get no `Authorization`.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when there is no response, or a redirect that isn't followed.
    func send(
        _ method: HTTPRequest.Method,
        _ target: OriginTarget,
        _ fields: HTTPFields = [:],
        content: [UInt8]? = nil
    ) async throws -> OriginResponse {
        var target = target
        var hasRenewed = false
        var redirectCount = 0
        while true {
            let isOwn = target.origin == reference.origin
            let sent = isOwn ? authorization.current : nil
            let response = try await transport.send(call(method, target, fields, sent, content))
            if isOwn, response.head.status == .unauthorized, !hasRenewed {
                hasRenewed = true
                guard try await authorization.renew(by: response.head.headerFields, rejected: sent) else {
                    return response
                }
                continue
            }
            guard [.get, .head].contains(method), response.head.status.kind == .redirection,
                response.head.status != .notModified
            else { return response }
            redirectCount += 1
            guard redirectCount <= Self.maximumRedirects else {
                throw BundleError(
                    .networkUnavailable,
                    "\(reference) was redirected over \(Self.maximumRedirects) times"
                )
            }
            target = try location(of: response.head, at: target)
        }
    }

    private func call(
        _ method: HTTPRequest.Method,
        _ target: OriginTarget,
        _ fields: HTTPFields,
        _ authorization: String?,
        _ content: [UInt8]?
    ) -> OriginCall {
        var request = HTTPRequest(
            method: method,
            scheme: target.scheme,
            authority: target.authority,
            path: target.path,
            headerFields: fields
        )
        // The digests are those of the bytes as they are.
        request.headerFields[.acceptEncoding] = "identity"
        request.headerFields[.userAgent] = userAgent
        request.headerFields[.authorization] = authorization
        if let content { request.headerFields[.contentLength] = String(content.count) }
        var call = OriginCall(request)
        call.content = content.map { BodyStream($0) }
        return call
    }

    /// Where a response leads; never from https to http.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable`. Its message has no query, which may be a secret.
    func location(of head: HTTPResponse, at target: OriginTarget) throws(BundleError) -> OriginTarget {
        let text = head.headerFields[.location] ?? ""
        guard let base = URL(string: target.origin + target.path), let url = URL(string: text, relativeTo: base),
            let next = OriginTarget(url.absoluteString), next.scheme == "https" || target.scheme == "http"
        else {
            throw BundleError(
                .networkUnavailable,
                "\(reference) leads to “\(URL.reported(text))”, which isn't followed"
            )
        }
        return next
    }

    // MARK: - Errors

    private func damaged(_ what: String) -> BundleError {
        BundleError(
            .networkUnavailable,
            "\(reference): \(what) has another SHA-256 than the registry says; check the registry"
        )
    }

    /// The error for a response that isn't what was asked for.
    ///
    /// - Parameter what: What was asked for.
    func refusal(of response: OriginResponse, _ what: String) async -> BundleError {
        let bytes = try? await response.body.bytes(atMost: Self.maximumErrorByteCount)
        return RegistryRefusal(response.head, bytes ?? []).error(what, of: reference)
    }

    private static func contentDigest(of head: HTTPResponse) -> Digest? {
        head.headerFields[HTTPField.Name("Docker-Content-Digest")!].flatMap(OCIDigest.parse)
    }
}
