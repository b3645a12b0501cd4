import BundleStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A text for C, which lives as long as the object.
final class CText: @unchecked Sendable {
    // Never written to after the initializer.
    let pointer: UnsafePointer<CChar>

    init(_ text: String) {
        pointer = UnsafePointer(Self.copy(text))
    }

    deinit {
        free(UnsafeMutablePointer(mutating: pointer))
    }

    /// A copy that C frees with `ob_string_free`.
    static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
        let bytes = text.utf8
        let copy = UnsafeMutableRawBufferPointer(start: malloc(bytes.count + 1), count: bytes.count + 1)
        // As Swift's own allocations do when there is no memory.
        guard let start = copy.baseAddress else { fatalError("out of memory") }
        copy.copyBytes(from: bytes)
        copy[bytes.count] = 0
        return start.assumingMemoryBound(to: CChar.self)
    }

    /// Copies a JSON document, if C has a place for it.
    static func store(
        _ document: @autoclosure () -> JSONValue,
        at place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) {
        place?.pointee = copy(document().text)
    }
}

extension JSONValue {
    /// The document as one line.
    var text: String { String(decoding: JSONWriter.bytes(of: self, .compact), as: UTF8.self) }
}
