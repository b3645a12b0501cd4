/// Names and values of fields, one after the other, each followed by a zero byte, which neither can contain
/// (RFC 9113 §8.2.1): two blocks are the same fields when their bytes are equal.
struct HTTP2FieldBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: name)
        bytes.append(0)
        bytes.append(contentsOf: value)
        bytes.append(0)
    }

    /// Keeps the memory for the next request.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with each field in its order.
    func forEach<Failure: Error>(
        _ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var rest = bytes[...]
        while let nameEnd = rest.firstIndex(of: 0), let valueEnd = rest[(nameEnd + 1)...].firstIndex(of: 0) {
            try body(rest[..<nameEnd], rest[(nameEnd + 1)..<valueEnd])
            rest = rest[(valueEnd + 1)...]
        }
    }
}
