import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// A folder as an origin publishes it: validators, conditional requests, ranges with `If-Range`, a freshness lifetime.
///
/// Files are read again for each request, so that a test may change them at any time. A value type; safe to share.
package struct OriginFiles: Sendable {
    /// The folder's path.
    package let folder: String
    /// The `max-age` of `Cache-Control`, in seconds.
    package let maxAge: Int

    /// Publishes `folder`.
    package init(folder: String, maxAge: Int = 60) {
        self.folder = folder
        self.maxAge = maxAge
    }

    /// The response to `request`: 200, 206, 304, 404, 405 or 416.
    package func response(to request: HTTPRequest) -> ScriptedResponse {
        guard request.method == .get || request.method == .head else {
            return ScriptedResponse(status: .methodNotAllowed, fields: [.allow: "GET, HEAD"])
        }
        guard let path = OriginFiles.filePath(for: request.path ?? "/"), let file = PublishedFile(path, in: folder)
        else {
            return .notFound
        }
        var fields: HTTPFields = [
            .acceptRanges: "bytes",
            .cacheControl: "max-age=\(maxAge)",
            .contentType: OriginMediaType.type(of: path),
            .eTag: file.entityTag,
            .lastModified: file.lastModified,
        ]
        if file.isUnchanged(for: request.headerFields) { return ScriptedResponse(status: .notModified, fields: fields) }
        switch file.requestedRange(by: request) {
        case .whole:
            return ScriptedResponse(fields: fields, body: file.content)
        case .part(let range):
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.content.count)"
            return ScriptedResponse(status: .partialContent, fields: fields, body: Array(file.content[range]))
        case .unsatisfiable:
            let fields: HTTPFields = [.contentRange: "bytes */\(file.content.count)"]
            return ScriptedResponse(status: .rangeNotSatisfiable, fields: fields)
        }
    }

    private static func filePath(for target: String) -> BundlePath? {
        let path = target.prefix { $0 != "?" }.dropFirst()
        guard let decoded = String(path).removingPercentEncoding else { return nil }
        return try? BundlePath(decoded.isEmpty || decoded.hasSuffix("/") ? decoded + "index.html" : decoded)
    }
}

/// One file at the moment of a request.
private struct PublishedFile {
    let content: [UInt8]
    let entityTag: String
    let lastModified: String

    init?(_ path: BundlePath, in folder: String) {
        let file = "\(folder)/\(path.string)"
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)),
            let modified = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date,
            let date = HTTPDate(modified)
        else { return nil }
        content = Array(data)
        entityTag = "\"\(Digest(of: data).hex.prefix(16))\""
        lastModified = date.fieldValue
    }

    /// RFC 9110 section 13.2.2: `If-Modified-Since` counts only without `If-None-Match`.
    func isUnchanged(for fields: HTTPFields) -> Bool {
        if let tags = fields[.ifNoneMatch] { return tags == "*" || tags.contains(entityTag) }
        return fields[.ifModifiedSince] == lastModified
    }

    /// RFC 9110 section 13.1.5: with an `If-Range` that doesn't match, the whole content is sent.
    func requestedRange(by request: HTTPRequest) -> RequestedRange {
        let condition = request.headerFields[.ifRange]
        guard request.method == .get, condition == nil || condition == entityTag || condition == lastModified else {
            return .whole
        }
        return RequestedRange(request.headerFields[.range], length: content.count)
    }
}

/// The part that a `Range` field requests, given the body's length (RFC 9110 section 14.2).
enum RequestedRange: Equatable {
    /// Everything: there is no range, or one that may be ignored.
    case whole
    /// These bytes; not empty.
    case part(Range<Int>)
    /// Bytes that the body doesn't have.
    case unsatisfiable

    init(_ field: String?, length: Int) {
        guard let field, field.hasPrefix("bytes="), !field.contains(",") else {
            self = .whole
            return
        }
        let bounds = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else {
            self = .whole
            return
        }
        self =
            switch (Int(bounds[0]), Int(bounds[1])) {
            case (let first?, let last?) where first <= last: RequestedRange(from: first, through: last, length)
            case (let first?, nil) where bounds[1].isEmpty: RequestedRange(from: first, through: .max, length)
            case (nil, let count?) where bounds[0].isEmpty: RequestedRange(last: count, length)
            default: .whole
            }
    }

    private init(from first: Int, through last: Int, _ length: Int) {
        self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
    }

    private init(last count: Int, _ length: Int) {
        self = count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
    }
}

/// The `Content-Type` of what an origin publishes, by file extension.
enum OriginMediaType {
    private static let types = [
        "css": "text/css; charset=utf-8",
        "html": "text/html; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "json": "application/json",
        "mjs": "text/javascript; charset=utf-8",
        "png": "image/png",
        "svg": "image/svg+xml",
        "txt": "text/plain; charset=utf-8",
        "wav": "audio/wav",
        "wasm": "application/wasm",
        "woff2": "font/woff2",
        "zip": "application/zip",
    ]

    static func type(of path: BundlePath) -> String {
        path.fileExtension.flatMap { types[$0] } ?? "application/octet-stream"
    }
}
