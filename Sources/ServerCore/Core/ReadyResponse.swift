import BundleModel
import HTTPCore
import HTTPTypes

/// The response to all requests with the same deciding fields, ready to be sent: its heads are formatted once, by the
/// code that makes every other response, and the content isn't copied from the store. For use on one event loop.
final class ReadyResponse {
    /// A form for a condition or a range, kept once it has been made.
    enum Kind: Int, CaseIterable {
        /// 304.
        case notModified
        /// 412.
        case preconditionFailed
        /// 206, without the fields that describe the part.
        case part
        /// 416.
        case rangeNotSatisfiable

        /// The response's status.
        var status: HTTPResponse.Status {
            switch self {
            case .notModified: .notModified
            case .preconditionFailed: .preconditionFailed
            case .part: .partialContent
            case .rangeNotSatisfiable: .rangeNotSatisfiable
            }
        }
    }

    /// A longer head, possible with a manifest's fields, doesn't fit the event loop's output buffer.
    static let maximumHeadByteCount = 16 << 10
    /// Content that isn't in the store is kept in memory up to this length.
    private static let maximumOwnedByteCount = 4 << 10
    /// The same for a response with a limited validity, whose content is a cache's and is let go in a moment.
    private static let maximumLimitedByteCount = 64 << 10

    /// Whether it is sent whatever the query.
    let isForPath: Bool
    /// How long it is sent; nil for as long as it is kept.
    let validity: ResponseValidity?
    /// The validators for conditions; nil when conditions don't apply, or when the responder has to decide.
    let validators: Validators?
    /// Whether the responder decides about conditions and ranges.
    let leavesConditions: Bool
    private let format: HeadFormat
    private let key: [UInt8]
    /// With the whole content.
    private let whole: ReadyForm
    /// By kind; empty until one is kept, which most responses never need.
    private var forms: [ReadyForm?] = []
    /// The common prefix of the entity tags of all codings; empty when there is only one coding.
    private let sharedTag: [UInt8]
    /// The entity tag as it is sent; empty when there is only one coding.
    private let ownTag: [UInt8]

    /// - Parameters:
    ///   - response: The response to a GET without conditions. The result is nil for a 200 without an entity tag whose
    ///     validity isn't limited, a head that is too long, a body of several parts, and a long body that isn't in the
    ///     store.
    ///   - key: The key that it is found by.
    init?(
        _ response: Response,
        _ source: ResponseSource,
        _ reuse: ResponseStart.Reuse,
        as format: HeadFormat,
        key: UnsafeRawBufferPointer
    ) {
        let fields = response.head.headerFields
        let tag = fields[fields: .eTag].first.flatMap { EntityTag($0) }
        let ownedLimit = reuse.validity == nil ? Self.maximumOwnedByteCount : Self.maximumLimitedByteCount
        guard response.head.status != .ok || tag != nil || reuse.validity != nil, response.body.parts.count <= 1,
            Self.isShort(response.head),
            response.body.parts.allSatisfy({ $0.file != nil || $0.count <= ownedLimit })
        else { return nil }
        (isForPath, validity) = (reuse.scope == .path, reuse.validity)
        (self.format, self.key) = (format, Array(key))
        leavesConditions = response.head.status == .ok && tag == nil
        let (head, status) = (ReadyHead(response.head, as: format), response.head.status.code)
        whole = ReadyForm(head: head, status: status, body: response.body.parts.first, source: source)
        guard status == 200, let tag else {
            (validators, sharedTag, ownTag) = (nil, [], [])
            return
        }
        validators = Validators(entityTag: tag, lastModified: fields[.lastModified].flatMap { HTTPDate($0) })
        let isOneOfSeveral = (fields[.vary] ?? "").lowercased().contains("accept-encoding")
        sharedTag = isOneOfSeveral ? Array(tag.opaque.utf8.prefix(EntityTag.digestByteCount)) : []
        ownTag = isOneOfSeveral ? Array(tag.fieldValue.utf8) : []
    }

    /// Whether a head is no longer than ``maximumHeadByteCount``.
    static func isShort(_ head: HTTPResponse) -> Bool {
        head.headerFields.reduce(64) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
            <= maximumHeadByteCount
    }

    /// Whether `key` is the response's key.
    func hasKey(_ key: UnsafeRawBufferPointer) -> Bool { self.key.withUnsafeBytes { $0.hasSameBytes(as: key) } }

    /// Whether some of the content could not be read.
    var hasFaulted: Bool { whole.body?.hasFaulted ?? false }

    /// Whether it may be sent now.
    var isCurrent: Bool { validity?.isCurrent ?? true }

    /// The number of bytes that it keeps in memory and that aren't in the store.
    var ownedByteCount: Int { whole.body.map { $0.file == nil ? $0.count : 0 } ?? 0 }

    /// The length of the content in bytes.
    var length: Int { whole.bodyByteCount }

    /// Whether a value of `If-None-Match` may name another coding of this content.
    func mayBeOfOtherCoding(_ value: UnsafeRawBufferPointer) -> Bool {
        guard !sharedTag.isEmpty, !(ownTag.withUnsafeBytes { $0.hasSameBytes(as: value) }) else { return false }
        return sharedTag.withUnsafeBytes { value.contains(bytesOf: $0) }
    }

    /// The form with the whole content.
    func whole(isHead: Bool) -> ReadyForm { isHead ? whole.headAlone : whole }

    /// A form that has been kept.
    ///
    /// - Parameter range: The part, for ``Kind/part``.
    func form(_ kind: Kind, isHead: Bool, range: Range<Int>? = nil) -> ReadyForm? {
        guard !forms.isEmpty, let form = forms[kind.rawValue] else { return nil }
        guard !isHead else { return form.headAlone }
        guard let range else { return form }
        return ReadyForm(
            head: form.head,
            status: form.status,
            body: whole.body?[range],
            part: ContentPart(range: range, length: length),
            source: form.source
        )
    }

    /// Keeps the response to a GET as the form of this kind.
    func keep(_ response: Response, as kind: Kind) {
        var head = response.head
        if kind == .part {
            head.headerFields[.contentRange] = nil
            head.headerFields[.contentLength] = nil
        }
        if forms.isEmpty { forms = Array(repeating: nil, count: Kind.allCases.count) }
        forms[kind.rawValue] = ReadyForm(
            head: ReadyHead(head, as: format),
            status: kind.status.code,
            body: kind == .part ? nil : response.body.parts.first,
            source: whole.source
        )
    }
}

/// The form of a ready response that one request gets: all of it, a part, or only a status such as 304. For use on one
/// event loop.
///
/// A class, so that passing one on counts one reference, and not those of its head, content and source.
final class ReadyForm {
    let head: ReadyHead
    /// 100 to 599.
    let status: Int
    /// What follows the head; nil for nothing.
    let body: ByteSlice?
    /// The part that a 206 sends; its `Content-Range` and `Content-Length` follow the head's fields.
    let part: ContentPart?
    let source: ResponseSource
    /// What the coding of the content saves when it is sent.
    let saving: CodingSaving?
    /// Counts the responses of its kind; nil until it is first sent.
    fileprivate var tally: ResponseTally?

    /// A response that isn't kept. Returns nil when its body has several parts or its head is too long for a ready
    /// response.
    convenience init?(_ response: Response, _ source: ResponseSource, as format: HeadFormat) {
        guard response.body.parts.count <= 1, ReadyResponse.isShort(response.head) else { return nil }
        self.init(
            head: ReadyHead(response.head, as: format),
            status: response.head.status.code,
            body: response.body.parts.first,
            source: source
        )
    }

    init(head: ReadyHead, status: Int, body: ByteSlice?, part: ContentPart? = nil, source: ResponseSource) {
        self.head = head
        self.status = status
        self.body = body
        self.part = part
        self.source = source
        saving = source.saving
    }

    /// The same for HEAD.
    var headAlone: ReadyForm {
        body == nil ? self : ReadyForm(head: head, status: status, body: nil, part: part, source: source)
    }

    /// The number of bytes that follow the head.
    var bodyByteCount: Int { body?.count ?? 0 }
}

extension TallySheet {
    /// The tally for a form, which keeps it: a form belongs to one event loop, as a sheet does.
    @inline(__always)
    func tally(of form: ReadyForm) -> ResponseTally {
        if let tally = form.tally { return tally }
        let tally = tally(form.source, status: form.status)
        form.tally = tally
        return tally
    }
}

/// A response's head in the format of a protocol, without `Date`. For use on one event loop.
enum ReadyHead {
    case http1(HTTP1Head)
    case http2(HTTP2ResponseHead)

    init(_ head: HTTPResponse, as format: HeadFormat) {
        switch format {
        case .http1: self = .http1(HTTP1Head(head))
        case .http2: self = .http2(HTTP2ResponseHead(head))
        }
    }
}

/// The format in which a protocol sends a response's head.
enum HeadFormat: UInt8 {
    /// Lines (RFC 9112 §2.1).
    case http1
    /// A list of names and values, compressed when it is sent (RFC 9113 §8.3).
    case http2
}

/// A part of a response's content, and the fields that describe it (RFC 9110 §14.4, §8.6).
struct ContentPart {
    /// The part's range in the content; not empty.
    let range: Range<Int>
    /// The length of the whole content in bytes.
    let length: Int

    /// The two field lines; no longer than ``HTTP1Head/maximumPartByteCount``.
    var lines: [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(HTTP1Head.maximumPartByteCount)
        lines += "Content-Range: ".utf8
        appendContentRange(to: &lines)
        lines += "\r\nContent-Length: ".utf8
        Self.append(range.count, to: &lines)
        lines += "\r\n".utf8
        return lines
    }

    /// The value of `Content-Range`.
    var contentRange: [UInt8] {
        var value: [UInt8] = []
        appendContentRange(to: &value)
        return value
    }

    /// The value of `Content-Length`.
    var contentLength: [UInt8] {
        var value: [UInt8] = []
        Self.append(range.count, to: &value)
        return value
    }

    private func appendContentRange(to bytes: inout [UInt8]) {
        bytes += "bytes ".utf8
        Self.append(range.lowerBound, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(range.upperBound - 1, to: &bytes)
        bytes.append(UInt8(ascii: "/"))
        Self.append(length, to: &bytes)
    }

    /// - Parameter number: At least 0.
    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}
