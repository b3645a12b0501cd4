import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// What a bundled file answers to a plain GET or HEAD, ready to be sent: its head and that of a 304, written once by the same
/// code that answers every other request, and the file's bytes in the mapped store.
///
/// `@unchecked Sendable`: the memory is written in the initialiser and never after.
final class ReadyResponse: @unchecked Sendable {
    /// Which of its forms is sent.
    enum Form {
        /// The head of a 200, and the body.
        case whole
        /// The head of a 200: to HEAD.
        case head
        /// 304.
        case notModified
    }

    /// A longer head, which a manifest's fields may make, wouldn't fit where answers are put together.
    private static let maximumHeadByteCount = 16 << 10

    /// A head among the bytes.
    private struct Head {
        let bytes: Range<Int>
        let date: Range<Int>
    }

    /// The file's content.
    let body: ByteSlice
    let source: ResponseSource
    /// Whether a browser may open it as a page.
    let isForPages: Bool
    private let memory: UnsafeMutableRawBufferPointer
    private let keyByteCount: Int
    private let whole: Head
    /// Nil until somebody asks under a condition.
    private let notModified: Head?
    private let entityTag: Range<Int>
    private let hasOtherForms: Bool
    /// The version cookie as it comes back, and the length of its name with the equals sign.
    private let cookie: (bytes: Range<Int>, nameByteCount: Int)
    /// The line that tells a page its version.
    private let mark: Range<Int>

    /// - Parameters:
    ///   - key: What the response is found by.
    ///   - whole: The response to GET. Nil comes of one that isn't 200, or has no tag, a very long head, or more than one body part.
    ///   - notModified: The response to GET with the tag in `If-None-Match`; nil when nobody has asked under a condition.
    ///   - source: Where the file is from.
    ///   - cookie: What a page of the same release says of its version; nil when pages don't.
    ///   - mark: What tells a page its version; nil for what isn't a page.
    ///   - isForPages: Whether a browser may open it as a page.
    init?(
        key: UnsafeRawBufferPointer,
        whole: Response,
        notModified: Response?,
        source: ResponseSource,
        cookie: VersionCookie?,
        mark: PageVersion?,
        isForPages: Bool = true
    ) {
        guard whole.head.status == .ok, notModified.map({ $0.head.status == .notModified }) ?? true,
            whole.body.parts.count <= 1, let tag = whole.head.headerFields[.eTag]
        else { return nil }
        let wholeHead = HeadEncoder(whole.head)
        // That of a 304 is no longer.
        guard wholeHead.bytes.count <= Self.maximumHeadByteCount else { return nil }
        var bytes = Array(key)
        keyByteCount = bytes.count
        self.whole = Self.append(wholeHead, to: &bytes)
        self.notModified = notModified.map { Self.append(HeadEncoder($0.head), to: &bytes) }
        entityTag = Self.append(tag, to: &bytes)
        self.cookie = (Self.append(cookie?.pair ?? "", to: &bytes), cookie.map { $0.name.utf8.count + 1 } ?? 0)
        self.mark = Self.append(mark.map { "Set-Cookie: \($0.fieldValue)\r\n" } ?? "", to: &bytes)
        memory = .allocate(byteCount: bytes.count, alignment: 16)
        memory.copyBytes(from: bytes)
        hasOtherForms = Self.hasOtherForms(whole.head.headerFields)
        self.source = source
        self.isForPages = isForPages
        body = whole.body.parts.first ?? ByteSlice(copying: [])
    }

    deinit {
        memory.deallocate()
    }

    /// Whether there are, or may be, other forms of the same content. The fields that tell whether a page is opened don't count:
    /// they select another response, not another form.
    private static func hasOtherForms(_ fields: HTTPFields) -> Bool {
        let opening = NavigationRequest.decidingFields.map(\.canonicalName)
        return (fields[.vary] ?? "").split(separator: ",").contains { name in
            !opening.contains(name.filter { $0 != " " }.lowercased())
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) -> Range<Int> {
        let start = bytes.count
        bytes += text.utf8
        return start..<bytes.count
    }

    private static func append(_ head: HeadEncoder, to bytes: inout [UInt8]) -> Head {
        let start = bytes.count
        bytes += head.bytes
        return Head(bytes: start..<bytes.count, date: start + head.date.lowerBound..<start + head.date.upperBound)
    }

    /// Whether it is found by `key`.
    func hasKey(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count == keyByteCount && UnsafeRawBufferPointer(rebasing: memory[..<keyByteCount]).hasSameBytes(as: key)
    }

    /// Whether it has a response for those who have the file.
    var isConditional: Bool { notModified != nil }

    /// The response to `If-None-Match` with this value, or nil when that takes the whole of RFC 9110 §13.1.2: `*`, a weak tag, a
    /// list, or a tag that another form of the same file may have.
    func form(ifNoneMatch value: UnsafeRawBufferPointer) -> Form? {
        if UnsafeRawBufferPointer(rebasing: memory[entityTag]).hasSameBytes(as: value) { return .notModified }
        return Self.isOneStrongTag(value) && !hasOtherForms ? .whole : nil
    }

    private static func isOneStrongTag(_ value: UnsafeRawBufferPointer) -> Bool {
        let quote = UInt8(ascii: "\"")
        return value.count >= 2 && value.first == quote && value.dropFirst().firstIndex(of: quote) == value.count - 1
    }

    /// Whether it is a page that can be told its version.
    var isPage: Bool { !mark.isEmpty }

    /// What a value of `Cookie` says of the file's release.
    func standing(inCookies value: UnsafeRawBufferPointer) -> PageCookie.Standing {
        let pair = UnsafeRawBufferPointer(rebasing: memory[cookie.bytes])
        return PageCookie.standing(of: pair, nameByteCount: cookie.nameByteCount, in: value)
    }

    /// The length in bytes of the line that tells a page its version.
    var markByteCount: Int { mark.count }

    /// Copies that line to where there is room for it.
    func copyMark(to target: UnsafeMutableRawPointer) {
        UnsafeMutableRawBufferPointer(start: target, count: mark.count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[mark]))
    }

    /// The length of a form's head in bytes, without the empty line at its end.
    func headByteCount(_ form: Form) -> Int { head(form).bytes.count }

    /// Copies a form's head.
    ///
    /// - Parameters:
    ///   - date: An IMF-fixdate.
    ///   - target: Has room for ``headByteCount(_:)`` bytes.
    func copyHead(_ form: Form, date: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        let head = head(form)
        guard let source = memory.baseAddress, let date = date.baseAddress else { return }
        target.copyMemory(from: source + head.bytes.lowerBound, byteCount: head.bytes.count)
        (target + head.date.lowerBound - head.bytes.lowerBound)
            .copyMemory(from: date, byteCount: HeadEncoder.dateByteCount)
    }

    private func head(_ form: Form) -> Head { form == .notModified ? notModified ?? whole : whole }
}
