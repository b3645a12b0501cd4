/// Bytes to search for in linear time in any subject (Knuth, Morris and Pratt, “Fast Pattern Matching in Strings”,
/// 1977).
struct Literal: Sendable {
    let bytes: [UInt8]
    /// For each prefix the length of its longest border: the longest shorter prefix that it also ends with.
    private let borders: [Int16]

    /// - Parameter bytes: A part of a path component, so at most 255 bytes.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var borders: [Int16] = []
        var length = 0
        for (index, byte) in bytes.enumerated() {
            while index > 0, length > 0, bytes[length] != byte { length = Int(borders[length - 1]) }
            if index > 0, bytes[length] == byte { length += 1 }
            borders.append(Int16(truncatingIfNeeded: length))
        }
        self.borders = borders
    }

    var byteCount: Int { bytes.count }

    /// Whether `subject` starts with the bytes.
    func starts(_ subject: some Collection<UInt8>) -> Bool { subject.starts(with: bytes) }

    /// The end of the first occurrence in `subject`, or nil. Reads each byte of `subject` at most once.
    func end<Bytes: Collection<UInt8>>(in subject: Bytes) -> Bytes.Index? {
        var length = 0
        for index in subject.indices {
            let byte = subject[index]
            while length > 0, bytes[length] != byte { length = Int(borders[length - 1]) }
            if bytes[length] == byte { length += 1 }
            if length == bytes.count { return subject.index(after: index) }
        }
        return nil
    }
}
