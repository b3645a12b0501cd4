import BundleModel


/// Reads the lines that begin the chunks of a message: the size in hexadecimal digits, and optional extensions, which are
/// ignored (RFC 9112 §7.1.1). A value type.
struct ChunkLines: Sendable {
    enum Line: Equatable {
        /// A chunk of this many bytes; 0 for the last one.
        case size(Int)
        case malformed
        /// The extensions are too long.
        case tooLong
    }

    /// How many bytes of content have come.
    var contentByteCount = 0
    private var extensionByteCount = 0
    private let maximumExtensionByteCount: Int

    /// - Parameter maximumExtensionByteCount: How much longer all extensions may be than the content, in bytes.
    init(maximumExtensionByteCount: Int) {
        self.maximumExtensionByteCount = maximumExtensionByteCount
    }

    /// Takes a line without its end.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Line {
        let digits = line.prefix { Hexadecimal.value(of: $0) != nil }
        // More digits could overflow.
        guard (1...15).contains(digits.count) else { return .malformed }
        let extensions = digits.endIndex..<line.count
        if !extensions.isEmpty {
            guard line[digits.endIndex] == UInt8(ascii: ";"), HeadBytes.isFieldText(line, extensions) else {
                return .malformed
            }
            extensionByteCount += extensions.count
            guard extensionByteCount - contentByteCount <= maximumExtensionByteCount else { return .tooLong }
        }
        return .size(digits.reduce(0) { $0 << 4 | Int(Hexadecimal.value(of: $1) ?? 0) })
    }
}
