import BundleServing

/// The key of a ready response: the protocol, the deciding fields that select a representation, the authority, and the
/// path or the whole target. For use on one event loop.
struct ReadyKey: ~Copyable {
    /// Longer requests get no ready response.
    private static let maximumByteCount = 2_048

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumByteCount, alignment: 16)
    private var count = 0
    private var pathEnd = 0

    deinit {
        memory.deallocate()
    }

    /// Sets the key from a request. Returns false when it is too long.
    mutating func take(_ view: RequestView, as format: HeadFormat) -> Bool {
        count = 0
        var fits = append(format.rawValue)
        // A range applies to the content without a coding, whatever codings the client accepts.
        fits = append(view.asksForPart ? 1 : 0) && fits
        view.fields.forEachSelecting { field, place in
            guard fits else { return }
            let value = UnsafeRawBufferPointer(rebasing: view.bytes[place])
            fits = field == .cookie ? appendCookies(value) : append(field.rawValue) && appendCounted(value)
        }
        fits = fits && append(.max) && view.authority.map { appendCounted($0) } ?? append(0)
        guard fits, append(view.target) else { return false }
        pathEnd = count - view.target.count + view.path.count
        return true
    }

    /// The key of a response that depends on the path but not on the query.
    var path: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<pathEnd]) }

    /// The key of a response that depends on the whole target.
    var target: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// Whether the request has a query.
    var hasQuery: Bool { pathEnd < count }

    /// Only this server's cookies can change a response.
    private mutating func appendCookies(_ value: UnsafeRawBufferPointer) -> Bool {
        var fits = true
        VersionCookies.forEach(in: value) { cookie in
            fits = fits && append(DecidingField.cookie.rawValue) && appendCounted(cookie)
        }
        return fits
    }

    private mutating func append(_ byte: UInt8) -> Bool {
        guard count < memory.count else { return false }
        memory[count] = byte
        count += 1
        return true
    }

    private mutating func appendCounted(_ bytes: UnsafeRawBufferPointer) -> Bool {
        append(UInt8(truncatingIfNeeded: bytes.count)) && append(UInt8(truncatingIfNeeded: bytes.count >> 8))
            && append(bytes)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= memory.count - count else { return false }
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
        return true
    }
}
