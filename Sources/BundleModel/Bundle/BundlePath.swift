import Foundation

/// The path of a file inside a bundle: relative, `/`-separated, in Unicode normalisation form C, for example
/// `assets/app.4f3a.js`. Once made it is safe to join to a folder: it can't be absolute, climb out, or be empty.
///
/// A value type; safe to share between threads.
public struct BundlePath: Hashable, Sendable {
    /// The longest path in bytes of UTF-8 (Linux's PATH_MAX).
    public static let maximumByteCount = 4_096
    /// The longest component in bytes of UTF-8 (NAME_MAX).
    public static let maximumComponentByteCount = 255
    /// The largest number of folders that a file may lie in, each in the one before: it has one component more.
    public static let maximumDepth = 64

    /// The path as text, without a leading slash.
    public let string: String

    /// Validates and normalises `string`.
    ///
    /// - Throws: ``BundlePathError`` when the path is empty, absolute, has an empty, `.` or `..` component, a backslash,
    ///   a drive letter, a control character, or is over one of the limits above.
    public init(_ string: String) throws(BundlePathError) {
        var string = string
        // Without leaving early, so that many bytes are looked at at once.
        let isASCII = string.withUTF8 { $0.reduce(0 as UInt8) { $0 | $1 } < 0x80 }
        let normalised = isASCII ? string : string.precomposedStringWithCanonicalMapping
        if let reason = BundlePathError.Reason.first(in: normalised) {
            throw BundlePathError(path: string, reason: reason)
        }
        self.string = normalised
    }

    /// Takes a path that is known to keep the rules, without looking at it.
    package init(valid string: String) {
        self.string = string
    }

    /// The parts between the slashes; at least one.
    public var components: [Substring] {
        // By bytes, since a slash and a combining mark after it are one Character, which no “/” equals.
        string.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
    }

    /// Lends the components' bytes, split once for several uses.
    func withComponents<Result>(_ body: ([Slice<UnsafeRawBufferPointer>]) throws -> Result) rethrows -> Result {
        var string = string
        return try string.withUTF8 { bytes in
            let slash = UInt8(ascii: "/")
            return try body(UnsafeRawBufferPointer(bytes).split(separator: slash, omittingEmptySubsequences: false))
        }
    }

    /// The last component: the file's name.
    public var lastComponent: Substring {
        string.utf8.lastIndex(of: UInt8(ascii: "/")).map { string[string.utf8.index(after: $0)...] } ?? string[...]
    }

    /// What follows the last dot of the file's name, in lower case, or nil when there is no dot or nothing around it.
    public var fileExtension: String? {
        var path = string
        return path.withUTF8 { bytes in
            guard let dot = bytes.lastIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }),
                bytes[dot] == UInt8(ascii: "."), dot > 0, bytes[dot - 1] != UInt8(ascii: "/"), dot + 1 < bytes.count
            else { return nil }
            let suffix = UnsafeBufferPointer(rebasing: bytes[(dot + 1)...])
            let text = String(decoding: suffix, as: UTF8.self)
            // Most have nothing to be lowered, and finding that out is quicker.
            return suffix.allSatisfy(isLowered) ? text : text.lowercased()
        }
    }
}

/// Whether a byte stays the same in lower case; false also for what isn't ASCII.
private func isLowered(_ byte: UInt8) -> Bool {
    byte < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
}

extension BundlePath: Comparable {
    /// Orders by the bytes of UTF-8, which is how a version index is sorted.
    @inlinable
    public static func < (left: BundlePath, right: BundlePath) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension BundlePath: CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }
}
