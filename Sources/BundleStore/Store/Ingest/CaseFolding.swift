import Foundation

/// Names without case distinctions, as file systems of Windows and macOS compare them: an approximation of default
/// caseless matching (The Unicode Standard, section 3.13). Converted to upper case first, so that “ß” and “SS”, or “ς”
/// and “Σ”, become equal.
package enum CaseFolding {
    /// Replaces `folded` with the folded form of `path`, which is UTF-8.
    static func fold(_ path: UnsafeRawBufferPointer, into folded: inout [UInt8]) {
        // No early exit, here and below, so that the loop is vectorised.
        guard path.reduce(0 as UInt8, { $0 | $1 }) < 0x80 else {
            let text = String(decoding: path, as: UTF8.self)
            folded = Array(text.uppercased().lowercased().precomposedStringWithCanonicalMapping.utf8)
            return
        }
        folded.removeAll(keepingCapacity: true)
        folded.append(contentsOf: path)
        folded.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.indices {
                bytes[index] |= bytes[index] &- UInt8(ascii: "A") < 26 ? 0x20 : 0
            }
        }
    }

    /// The folded form of `path`.
    package static func fold(_ path: String) -> String {
        var (path, folded) = (path, [UInt8]())
        path.withUTF8 { fold(UnsafeRawBufferPointer($0), into: &folded) }
        return String(decoding: folded, as: UTF8.self)
    }
}
