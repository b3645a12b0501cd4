import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// Answers plain requests for bundled files straight from their bytes. What isn't plain, or isn't a file of an active
/// release, is left to who knows all of HTTP.
///
/// For one event loop alone.
struct FastResponder: ~Copyable {
    /// The longest host and path, with the codings, that a response is kept for, in bytes.
    private static let maximumKeyByteCount = 1_024

    private let files: BundledFiles
    private var responses: ReadyResponses
    private var codings = AcceptedCodings()
    private var generation: Int64
    private let key = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumKeyByteCount, alignment: 16)

    /// - Parameter capacity: How many responses are kept ready at least.
    init(_ files: BundledFiles, capacity: Int) {
        self.files = files
        responses = ReadyResponses(capacity: capacity)
        generation = files.generation
    }

    deinit {
        key.deallocate()
    }

    /// The response to a request, or nil when it must be passed on.
    ///
    /// - Parameter bytes: Those that `head` was found in.
    mutating func response(
        to head: RequestHead,
        in bytes: UnsafeRawBufferPointer
    ) -> FastResponse? {
        guard head.isPlain else { return nil }
        let accepted = codings.codings(in: head.acceptEncoding.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
        guard let key = key(of: head, in: bytes, accepted) else { return nil }
        forgetOutdated()
        guard let response = kept(head, for: key) ?? prepared(head, in: bytes, for: key) else { return nil }
        guard response.isForPages || !Self.mayOpenDocument(head, in: bytes),
            let form = Self.form(of: response, for: head, in: bytes),
            let isMarked = Self.isMarked(response, for: head, in: bytes)
        else { return nil }
        return FastResponse(prepared: response, form: form, isMarked: isMarked)
    }

    private static func form(
        of response: ReadyResponse,
        for head: RequestHead,
        in bytes: UnsafeRawBufferPointer
    ) -> ReadyResponse.Form? {
        let whole: ReadyResponse.Form = head.method == .head ? .head : .whole
        guard let value = head.ifNoneMatch else { return whole }
        let form = response.form(ifNoneMatch: UnsafeRawBufferPointer(rebasing: bytes[value]))
        return form == .whole ? whole : form
    }

    /// Whether a page is to be told its version; nil when what asks is a part of a page of another version, which the
    /// active one may not answer.
    private static func isMarked(
        _ response: ReadyResponse,
        for head: RequestHead,
        in bytes: UnsafeRawBufferPointer
    ) -> Bool? {
        let standing = head.cookie.map { response.standing(inCookies: UnsafeRawBufferPointer(rebasing: bytes[$0])) }
        guard response.isPage || standing == .other else { return false }
        guard standing != .current else { return false }
        let isTopLevel = isTopLevel(head, in: bytes)
        return standing == .other && !isTopLevel ? nil : isTopLevel && response.isPage
    }

    /// What a browser of the last years says is told from its bytes; the rest takes the whole of the rules.
    private static func isTopLevel(_ head: RequestHead, in bytes: UnsafeRawBufferPointer) -> Bool {
        if let value = head.fetchDestination, bytes[value].elementsEqual("document".utf8) { return true }
        return NavigationRequest.isTopLevel(request(of: head, in: bytes))
    }

    /// Requests of tools, which send neither a browser's fields nor an `Accept` that names HTML, and browsers' requests
    /// for parts of pages are recognised by their bytes; all others take the complete rules.
    private static func mayOpenDocument(_ head: RequestHead, in bytes: UnsafeRawBufferPointer) -> Bool {
        let isPart: Bool
        if head.fetchDestination == nil, head.fetchMode == nil {
            isPart = head.accept.map { !bytes[$0].contains { $0 | 0x20 == UInt8(ascii: "h") } } ?? true
        } else {
            isPart =
                isOne(of: partModes, head.fetchMode, in: bytes)
                && isOne(of: partDestinations, head.fetchDestination, in: bytes)
        }
        return !isPart && NavigationRequest.opensDocument(request(of: head, in: bytes))
    }

    private static let partModes: [StaticString] = ["no-cors", "cors", "same-origin"]
    private static let partDestinations: [StaticString] = ["image", "script", "style", "font", "empty"]

    /// Whether a value is one of `names`, or is missing.
    private static func isOne(of names: [StaticString], _ value: Range<Int>?, in bytes: UnsafeRawBufferPointer) -> Bool
    {
        guard let value else { return true }
        let bytes = UnsafeRawBufferPointer(rebasing: bytes[value])
        return names.contains {
            bytes.hasSameBytes(as: UnsafeRawBufferPointer(start: $0.utf8Start, count: $0.utf8CodeUnitCount))
        }
    }

    /// A request with only the fields that decide whether it opens a page.
    private static func request(of head: RequestHead, in bytes: UnsafeRawBufferPointer) -> HTTPRequest {
        func text(_ range: Range<Int>?) -> String? { range.map { String(decoding: bytes[$0], as: UTF8.self) } }
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        request.headerFields[.secFetchDest] = text(head.fetchDestination)
        request.headerFields[.secFetchMode] = text(head.fetchMode)
        request.headerFields[.accept] = text(head.accept)
        return request
    }

    /// Lets go of what an earlier state of the store answered, which would keep its files from being freed.
    mutating func forgetOutdated() {
        let current = files.generation
        guard current != generation else { return }
        generation = current
        responses.removeAll()
    }

    /// The codings, by the number that all fields with the same meaning have, the length of the host, the host, and the
    /// path.
    private func key(
        of head: RequestHead,
        in bytes: UnsafeRawBufferPointer,
        _ accepted: AcceptEncoding
    ) -> UnsafeRawBufferPointer? {
        let hostStart = MemoryLayout<UInt64>.size
        guard let host = head.host, case let target = head.target,
            case let pathStart = hostStart + host.count, pathStart + target.count <= key.count
        else { return nil }
        let path = Self.path(of: UnsafeRawBufferPointer(rebasing: bytes[target]))
        key.storeBytes(of: UInt64(accepted.number) << 32 | UInt64(host.count), as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: key[hostStart...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[host]))
        UnsafeMutableRawBufferPointer(rebasing: key[pathStart...]).copyMemory(from: path)
        return UnsafeRawBufferPointer(rebasing: key[..<(pathStart + path.count)])
    }

    /// The target without its query.
    private static func path(of target: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    }

    private mutating func kept(_ head: RequestHead, for key: UnsafeRawBufferPointer) -> ReadyResponse? {
        guard let response = responses.response(for: key) else { return nil }
        return head.ifNoneMatch == nil || response.isConditional ? response : nil
    }

    private mutating func prepared(
        _ head: RequestHead,
        in bytes: UnsafeRawBufferPointer,
        for key: UnsafeRawBufferPointer
    ) -> ReadyResponse? {
        guard let host = head.host else { return nil }
        var request = HTTPRequest(
            method: .get,
            scheme: nil,
            authority: String(decoding: bytes[host], as: UTF8.self),
            path: String(decoding: bytes[head.target], as: UTF8.self)
        )
        request.headerFields[.acceptEncoding] = head.acceptEncoding.map { String(decoding: bytes[$0], as: UTF8.self) }
        let isConditional = head.ifNoneMatch != nil
        guard let response = files.readyResponse(to: request, key: key, isConditional: isConditional) else {
            return nil
        }
        responses.insert(response, for: key)
        return response
    }
}
