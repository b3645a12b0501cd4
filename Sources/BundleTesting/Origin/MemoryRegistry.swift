import BundleServing
import BundleStore
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

/// A registry of containers in memory, with one repository, as a network: it speaks what of the OCI's distribution specification a
/// client needs. Every request is recorded.
///
/// Safe to use from any number of tasks at once.
package final class MemoryRegistry: OriginTransport {
    /// Responds in place of the registry; nil to let it respond. What it throws, the network throws.
    package typealias Interception = @Sendable (HTTPRequest) async throws -> OriginResponse?

    fileprivate struct State: Sendable {
        var blobs: [String: [UInt8]] = [:]
        var manifests: [String: [UInt8]] = [:]
        var tags: [String: String] = [:]
        var uploads: [String: [UInt8]] = [:]
        var requests: [HTTPRequest] = []
        var interception: Interception = { _ in nil }
        var uploadCount = 0
    }

    /// Its origin.
    package static let origin = "https://registry.example.com"
    /// The reference of the feed in its repository.
    package static let reference = "oci://registry.example.com/kiosk/shop:feed"

    fileprivate static let contentDigest = HTTPField.Name("Docker-Content-Digest")!
    private let state = Mutex(State())

    /// Makes a registry with nothing in it.
    package init() {}

    /// Asked before every response.
    package var interception: Interception {
        get { state.withLock { $0.interception } }
        set { state.withLock { $0.interception = newValue } }
    }

    /// The requests so far, in order.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The requests so far, in short: method, path within the repository, range.
    package var log: [String] {
        requests.map { request in
            let path = (request.path ?? "").prefix { $0 != "?" }.replacing("/v2/kiosk/shop/", with: "")
            let range = request.headerFields[.range].map { " \($0)" } ?? ""
            return "\(request.method) \(path)\(range)"
        }
    }

    /// Forgets the requests.
    package func clearLog() { state.withLock { $0.requests = [] } }

    /// The bytes of the manifest at a tag.
    package func manifest(_ tag: String) -> [UInt8]? { state.withLock { $0.tags[tag].flatMap($0.manifestBytes) } }

    /// The digests of the blobs, sorted.
    package var blobs: [String] { state.withLock { $0.blobs.keys.sorted() } }

    /// Puts a manifest at a tag, as another client does.
    package func put(_ manifest: [UInt8], tag: String) { state.withLock { _ = $0.put(manifest, tag) } }

    /// Adds a blob.
    ///
    /// - Parameter digest: Nil for that of the bytes.
    /// - Returns: Its descriptor in a manifest, with a title.
    @discardableResult
    package func add(_ blob: [UInt8], titled title: String, digest: String? = nil) -> String {
        let digest = digest ?? Self.digest(blob)
        state.withLock { $0.blobs[digest] = blob }
        return #"{"mediaType":"a/b","digest":"\#(digest)","size":\#(blob.count),"#
            + #""annotations":{"org.opencontainers.image.title":"\#(title)"}}"#
    }

    /// Puts a manifest with these files at the tag of the feed.
    package func publish(_ files: [String: String]) {
        let layers = files.sorted { $0.key < $1.key }.map { add(Array($0.value.utf8), titled: $0.key) }
        put(Self.manifest(layers), tag: "feed")
    }

    /// A manifest with layers.
    package static func manifest(_ layers: [String]) -> [UInt8] {
        let text =
            #"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","#
            + #""artifactType":"application/vnd.offline-bundles.feed.v1","layers":[\#(layers.joined(separator: ","))]}"#
        return Array(text.utf8)
    }

    /// The digest of bytes, as registries write it.
    package static func digest(_ bytes: [UInt8]) -> String { "sha256:\(Digest(of: bytes).hex)" }

    package func send(_ call: OriginCall) async throws -> OriginResponse {
        let request = call.request
        let interception = state.withLock { state in
            state.requests.append(request)
            return state.interception
        }
        if let response = try await interception(request) { return response }
        var content: [UInt8] = []
        if let body = call.content { for try await chunk in body { content += chunk } }
        let (path, query) = Self.split(request.path ?? "")
        guard "\(request.scheme ?? "")://\(request.authority ?? "")" == Self.origin,
            path.starts(with: ["v2", "kiosk", "shop"]), path.count >= 5
        else { return Self.error(.notFound, "NAME_UNKNOWN") }
        return state.withLock { $0.respond(request, Array(path.dropFirst(3)), query, content) }
    }

    private static func split(_ path: String) -> ([String], String?) {
        let parts = path.split(separator: "?", maxSplits: 1)
        return (parts[0].split(separator: "/").map(String.init), parts.count > 1 ? String(parts[1]) : nil)
    }

    /// A registry's response with an error.
    package static func error(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ fields: HTTPFields = [:]
    ) -> OriginResponse {
        OriginResponse(status, fields, #"{"errors":[{"code":"\#(code)","message":"m","detail":null}]}"#)
    }
}

extension MemoryRegistry.State {
    fileprivate func manifestBytes(_ digest: String) -> [UInt8]? { manifests[digest] }

    fileprivate mutating func put(_ manifest: [UInt8], _ name: String) -> String {
        let digest = MemoryRegistry.digest(manifest)
        manifests[digest] = manifest
        if !name.hasPrefix("sha256:") { tags[name] = digest }
        return digest
    }

    fileprivate mutating func respond(
        _ request: HTTPRequest,
        _ path: [String],
        _ query: String?,
        _ content: [UInt8]
    ) -> OriginResponse {
        switch (request.method, path[0], path[1]) {
        case (.put, "manifests", let name):
            return OriginResponse(.created, [MemoryRegistry.contentDigest: put(content, name)], "")
        case (_, "manifests", let name): return manifest(name, request)
        case (.post, "blobs", "uploads"):
            uploadCount += 1
            uploads["\(uploadCount)"] = []
            return progress("\(uploadCount)", .accepted)
        case (_, "blobs", "uploads"): return upload(request, path.last ?? "", query, content)
        case (_, "blobs", let digest): return blob(digest, request)
        default: return MemoryRegistry.error(.notFound, "UNSUPPORTED")
        }
    }

    private func manifest(_ name: String, _ request: HTTPRequest) -> OriginResponse {
        let digest = tags[name] ?? name
        guard let bytes = manifests[digest] else { return MemoryRegistry.error(.notFound, "MANIFEST_UNKNOWN") }
        let fields: HTTPFields = [MemoryRegistry.contentDigest: digest, .eTag: "\"\(digest)\""]
        if request.headerFields[.ifNoneMatch] == "\"\(digest)\"" { return OriginResponse(.notModified, fields) }
        return OriginResponse(.ok, fields, request.method == .head ? [] : [bytes])
    }

    private func blob(_ digest: String, _ request: HTTPRequest) -> OriginResponse {
        guard let bytes = blobs[digest] else { return MemoryRegistry.error(.notFound, "BLOB_UNKNOWN") }
        if request.method == .head { return OriginResponse(.ok, [.contentLength: "\(bytes.count)"], "") }
        return .part(of: bytes, for: request)
    }

    private mutating func upload(
        _ request: HTTPRequest,
        _ number: String,
        _ query: String?,
        _ content: [UInt8]
    ) -> OriginResponse {
        guard let present = uploads[number] else { return MemoryRegistry.error(.notFound, "BLOB_UPLOAD_UNKNOWN") }
        switch request.method {
        case .patch:
            guard request.headerFields[.contentRange]?.hasPrefix("\(present.count)-") == true else {
                return progress(number, .rangeNotSatisfiable)
            }
            uploads[number] = present + content
            return progress(number, .accepted)
        case .get: return progress(number, .noContent)
        default:
            let digest = MemoryRegistry.digest(present + content)
            guard query?.contains("digest=\(digest)") == true else {
                return MemoryRegistry.error(.badRequest, "DIGEST_INVALID")
            }
            uploads[number] = nil
            blobs[digest] = present + content
            return OriginResponse(.created, [.location: "/v2/kiosk/shop/blobs/\(digest)"], "")
        }
    }

    private func progress(_ number: String, _ status: HTTPResponse.Status) -> OriginResponse {
        let count = uploads[number]?.count ?? 0
        let location = "/v2/kiosk/shop/blobs/uploads/\(number)?state=\(count)"
        return OriginResponse(status, [.location: location, .range: "0-\(max(count - 1, 0))"], "")
    }
}

extension OriginResponse {
    /// All of a file, or the single range that is asked for.
    package static func part(of bytes: [UInt8], for request: HTTPRequest) -> OriginResponse {
        switch RequestedRange(request.headerFields[.range], length: bytes.count) {
        case .whole: return OriginResponse(.ok, [.contentLength: String(bytes.count)], [bytes])
        case .unsatisfiable:
            return OriginResponse(.rangeNotSatisfiable, [.contentRange: "bytes */\(bytes.count)"])
        case .part(let range):
            let fields: HTTPFields = [
                .contentLength: String(range.count),
                .contentRange: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)",
            ]
            return OriginResponse(.partialContent, fields, [Array(bytes[range])])
        }
    }
}
