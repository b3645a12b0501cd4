import Foundation

/// Names without the difference of upper and lower case, as file systems of Windows and macOS compare them: default
/// caseless matching (The Unicode Standard, section 3.13), near enough. Upper case first, so that “ß” and “SS”, or “ς” and
/// “Σ”, come out equal.
package enum CaseFolding {
    /// Replaces `folded` with the folded form of `path`, which is UTF-8.
    static func fold(_ path: UnsafeRawBufferPointer, into folded: inout [UInt8]) {
        guard path.allSatisfy({ $0 < 0x80 }) else {
            folded = Array(fold(String(decoding: path, as: UTF8.self)).utf8)
            return
        }
        folded.removeAll(keepingCapacity: true)
        folded.append(contentsOf: path)
        folded.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[index]) {
                bytes[index] |= 0x20
            }
        }
    }

    /// The folded form of `path`.
    package static func fold(_ path: String) -> String {
        path.uppercased().lowercased().precomposedStringWithCanonicalMapping
    }
}
