import HTTPCore
import HTTPTypes

/// The key of a ready response: the protocol, whether the client is on this machine, the deciding fields that select a
/// representation, the authority, and the path or the whole target; and further fields, where stored responses are selected
/// by them. For use on one event loop.
struct ReadyKey: ~Copyable {
    /// Longer requests get no ready response.
    private static let maximumByteCount = 2_048

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumByteCount, alignment: 16)
    private var count = 0
    private var pathEnd = 0
    private var targetEnd = 0

    deinit {
        memory.deallocate()
    }

    /// Sets the key from a request. Returns false when it is too long.
    mutating func take(_ view: RequestView, as format: HeadFormat, on connection: ConnectionInfo) -> Bool {
        (count, targetEnd) = (0, memory.count)
        var fits = append(format.rawValue)
        // A range applies to the content without a coding, whatever codings the client accepts.
        fits = append((view.asksForPart ? 1 : 0) | (connection.isLocal ? 2 : 0)) && fits
        view.fields.forEachSelecting { field, place in
            guard fits else { return }
            let value = UnsafeRawBufferPointer(rebasing: view.bytes[place])
            fits = field == .cookie ? appendCookies(value) : append(field.rawValue) && appendCounted(value)
        }
        fits = fits && append(.max) && view.authority.map { appendCounted($0) } ?? append(0)
        guard fits, append(view.target) else { return false }
        pathEnd = count - view.target.count + view.path.count
        targetEnd = count
        return true
    }

    /// Adds the values of further fields, after ``take(_:as:on:)``. Returns false when they don't fit.
    ///
    /// - Parameter complete: Makes the request with all its fields, for a view that doesn't have them.
    mutating func add(_ names: [HTTPField.Name], of view: RequestView, _ complete: () -> HTTPRequest?) -> Bool {
        count = targetEnd
        var fits = true
        for name in names {
            var text = name.canonicalName
            fits = fits && text.withUTF8 { appendCounted(UnsafeRawBufferPointer($0)) }
            fits = addValues(of: name, view, complete) && fits && append(0)
        }
        // Where the target ends, and a byte that no target has: no other key has the same bytes.
        fits = fits && append(UInt8(truncatingIfNeeded: targetEnd)) && append(UInt8(truncatingIfNeeded: targetEnd >> 8))
        fits = fits && append(.max)
        if !fits { count = targetEnd }
        return fits
    }

    private mutating func addValues(
        of name: HTTPField.Name,
        _ view: RequestView,
        _ complete: () -> HTTPRequest?
    ) -> Bool {
        var fits = true
        if view.forEachValue(of: name.canonicalName, { fits = fits && append(1) && appendCounted($0) }) { return fits }
        guard let request = complete() else { return false }
        for field in request.headerFields[fields: name] {
            fits = fits && append(1) && field.withUnsafeBytesOfValue { appendCounted(UnsafeRawBufferPointer($0)) }
        }
        return fits
    }

    /// The key of a response that depends on the path but not on the query.
    var path: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<pathEnd]) }

    /// The key of a response that depends on the whole target.
    var target: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<targetEnd]) }

    /// The key of a response that depends on further fields too, which have been added.
    var selected: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// Whether the request has a query.
    var hasQuery: Bool { pathEnd < targetEnd }

    /// Whether further fields have been added.
    var isExtended: Bool { count > targetEnd }

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
        // What is longer doesn't fit.
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
