import BundleServing
import BundleStore

/// Reads `Accept-Encoding` once for all requests in a row that say the same, as those of one browser do.
///
/// For one event loop alone.
struct AcceptedCodings: ~Copyable {
    /// Longer values than any browser's are read every time.
    private static let maximumByteCount = 64

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumByteCount, alignment: 16)
    private var byteCount = 0
    private var last = AcceptEncoding.identityOnly

    deinit {
        memory.deallocate()
    }

    /// The codings that a value of the field names; identity alone without one.
    mutating func codings(in value: UnsafeRawBufferPointer?) -> AcceptEncoding {
        guard let value, !value.isEmpty else { return .identityOnly }
        if UnsafeRawBufferPointer(rebasing: memory[..<byteCount]).hasSameBytes(as: value) { return last }
        let codings = AcceptEncoding(value)
        guard value.count <= memory.count else { return codings }
        memory.copyMemory(from: value)
        (byteCount, last) = (value.count, codings)
        return codings
    }
}
