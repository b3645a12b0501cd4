import Foundation

/// The path of a file inside a bundle: relative, `/`-separated, in Unicode normalisation form C, for example
/// `assets/app.4f3a.js`. A valid path is safe to append to a folder: it can't be absolute, leave the folder, or be
/// empty.
///
/// A value type; safe to share between threads.
public struct BundlePath: Hashable, Sendable {
    /// The maximum length of a path in bytes of UTF-8 (Linux's PATH_MAX).
    public static let maximumByteCount = 4_096
    /// The maximum length of a component in bytes of UTF-8 (NAME_MAX).
    public static let maximumComponentByteCount = 255
    /// The maximum number of nested folders that a file may lie in; its path has one component more.
    public static let maximumDepth = 64

    /// The path as text, without a leading slash.
    public let string: String

    /// Validates and normalises `string`.
    ///
    /// - Throws: ``BundlePathError`` when the path is empty, absolute, has an empty, `.` or `..` component, a backslash,
    ///   a drive letter, a control character, or is over one of the limits above.
    public init(_ string: String) throws(BundlePathError) {
        var string = string
        // No early exit, so that the loop is vectorised.
        let isASCII = string.withUTF8 { $0.reduce(0 as UInt8) { $0 | $1 } < 0x80 }
        let normalised = isASCII ? string : string.precomposedStringWithCanonicalMapping
        if let reason = BundlePathError.Reason.first(in: normalised) {
            throw BundlePathError(path: string, reason: reason)
        }
        self.string = normalised
    }

    /// Creates a path that is known to be valid, without checking it.
    package init(valid string: String) {
        self.string = string
    }

    /// The parts between the slashes; at least one.
    public var components: [Substring] {
        // By bytes, because a slash and a combining mark after it form one Character, which doesn't equal “/”.
        string.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
    }

    /// Provides the components' bytes, split once for several uses.
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

    /// The part after the last dot of the file's name, in lower case, or nil when there is no dot or nothing around it.
    public var fileExtension: String? {
        var path = string
        return path.withUTF8 { bytes in
            guard let dot = bytes.lastIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }),
                bytes[dot] == UInt8(ascii: "."), dot > 0, bytes[dot - 1] != UInt8(ascii: "/"), dot + 1 < bytes.count
            else { return nil }
            let suffix = UnsafeBufferPointer(rebasing: bytes[(dot + 1)...])
            let text = String(decoding: suffix, as: UTF8.self)
            // Most need no lowercasing, and checking that is faster.
            return suffix.allSatisfy(isLowered) ? text : text.lowercased()
        }
    }
}

/// Whether a byte stays the same in lower case; also false for bytes outside ASCII.
private func isLowered(_ byte: UInt8) -> Bool {
    byte < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
}

extension BundlePath: Comparable {
    /// Orders by the bytes of UTF-8, like a version index.
    @inlinable
    public static func < (left: BundlePath, right: BundlePath) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension BundlePath: CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }
}
