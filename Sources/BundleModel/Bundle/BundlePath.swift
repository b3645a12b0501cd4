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

/// A name that can't be the path of a file in a bundle.
public struct BundlePathError: Error, Hashable, Sendable {
    /// Why a path was refused.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// Is empty.
        case empty
        /// Starts with a slash.
        case absolute
        /// Has a `..` component, which could leave the bundle.
        case parentReference
        /// Has a `.` or an empty component, so that two spellings would name one file.
        case emptyComponent
        /// Has a backslash, which is a separator on Windows.
        case backslash
        /// Starts with a letter and a colon: a drive on Windows, where `a:b.txt` is a file on drive `a:` even without a
        /// slash.
        case driveLetter
        /// Has a NUL or another control character.
        case controlCharacter
        /// Has over 4,096 bytes.
        case tooLong
        /// Has a component of over 255 bytes.
        case componentTooLong
        /// Lies in more than 64 nested folders.
        case tooDeep
    }

    /// The path as given.
    public let path: String
    /// Why it was refused.
    public let reason: Reason

    /// Creates an error for `path`.
    public init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

extension BundlePathError.Reason {
    /// The first rule that `path` breaks, or nil when it breaks none.
    static func first(in path: String) -> Self? {
        var path = path
        return path.withUTF8 { first(in: UnsafeRawBufferPointer($0)) }
    }

    /// The first rule that a path breaks, or nil when it breaks none. Allocates nothing.
    ///
    /// - Parameter path: Valid UTF-8 in normalisation form C.
    package static func first(in path: UnsafeRawBufferPointer) -> Self? {
        if path.isEmpty { return .empty }
        // No early exit, so that the loop is vectorised.
        if path.reduce(0 as UInt8, { $0 | (isUnusual($1) ? 1 : 0) }) != 0 {
            if hasControl(path) { return .controlCharacter }
            if path.contains(UInt8(ascii: "\\")) { return .backslash }
        }
        if path.first == UInt8(ascii: "/") { return .absolute }
        if hasDriveLetter(path) { return .driveLetter }
        if path.count > BundlePath.maximumByteCount { return .tooLong }
        return first(inComponentsOf: path)
    }

    /// Whether a byte is, or may begin, something that no path may contain; most paths have no such byte.
    private static func isUnusual(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\\") || byte == 0x7F || byte == 0xC2
    }

    /// C0, DEL and C1: U+009B starts a terminal's escape sequence just as ESC [ does.
    private static func hasControl(_ path: UnsafeRawBufferPointer) -> Bool {
        path.indices.contains { index in
            let byte = path[index]
            guard byte == 0xC2 else { return byte < 0x20 || byte == 0x7F }
            return index + 1 < path.count && (0x80...0x9F).contains(path[index + 1])
        }
    }

    private static func hasDriveLetter(_ path: UnsafeRawBufferPointer) -> Bool {
        guard path.count >= 2, path[1] == UInt8(ascii: ":") else { return false }
        return ASCII.isLetter(path[0])
    }

    private static func first(inComponentsOf path: UnsafeRawBufferPointer) -> Self? {
        var (start, folderCount) = (0, -1)
        while start <= path.count {
            var end = start
            while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
            let count = end - start
            let isDots = count <= 2 && path[start..<end].allSatisfy { $0 == UInt8(ascii: ".") }
            if isDots { return count == 2 ? .parentReference : .emptyComponent }
            if count > BundlePath.maximumComponentByteCount { return .componentTooLong }
            folderCount += 1
            start = end + 1
        }
        return folderCount > BundlePath.maximumDepth ? .tooDeep : nil
    }
}

extension BundlePathError: CustomStringConvertible {
    /// One sentence that names the path and the problem.
    public var description: String {
        "“\(Printable.text(path))” \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .empty: "is an empty path"
        case .absolute: "is an absolute path"
        case .parentReference: "leaves the bundle through “..”"
        case .emptyComponent: "has an empty or “.” component"
        case .backslash: "has a backslash"
        case .driveLetter: "starts with a letter and a colon, which Windows takes for a drive"
        case .controlCharacter: "has a control character"
        case .tooLong: "is longer than \(BundlePath.maximumByteCount) bytes"
        case .componentTooLong: "has a component longer than \(BundlePath.maximumComponentByteCount) bytes"
        case .tooDeep: "is nested deeper than \(BundlePath.maximumDepth) folders"
        }
    }
}
