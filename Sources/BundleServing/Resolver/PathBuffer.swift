import BundleStore
import Foundation

/// The path of a request, decoded once, in memory with room before and after it, so that a folder can be prepended and
/// a page appended in place. Valid only during ``withDecoded(_:headroom:_:)``.
struct PathBuffer {
    private static let slash = UInt8(ascii: "/")

    private let memory: UnsafeMutableRawBufferPointer
    private let start: Int
    private let end: Int
    /// Whether the path ends in a slash.
    let isFolder: Bool

    /// Decodes a path and calls `body` with the result, in Unicode normalisation form C. Allocates only for a path of
    /// about a thousand bytes or more, or one that may not be in that form.
    ///
    /// - Parameters:
    ///   - path: As it was sent, starting with a slash; empty means `/`.
    ///   - headroom: The length of the longest folder that ``inside(_:after:)`` may be given.
    /// - Returns: Nil when the path doesn't start with a slash, has an incomplete `%` sequence or an encoded slash, or
    ///   isn't UTF-8. Its components aren't checked.
    @inline(__always)
    static func withDecoded<Result>(
        _ path: UnsafeRawBufferPointer,
        headroom: Int,
        _ body: (PathBuffer) -> Result?
    ) -> Result? {
        guard path.isEmpty || path[0] == slash else { return nil }
        return withMemory(for: max(path.count, 1), headroom: headroom) { memory, decoded in
            decoded[0] = slash
            if isPlain(path) {
                decoded.copyMemory(from: path)
                return body(PathBuffer(memory, start: headroom, count: decoded.count))
            }
            // An encoded slash would make one component look like two.
            let count = PercentEncoding.decode(path, into: decoded, refusing: slash)
            guard let count, case let bytes = UnsafeRawBufferPointer(rebasing: decoded[..<count]) else { return nil }
            switch NormalisationCheck.result(for: bytes) {
            case .invalid: return nil
            case .normal: return body(PathBuffer(memory, start: headroom, count: count))
            case .unknown: return withNormalised(bytes, headroom: headroom, body)
            }
        }
    }

    /// Whether a path is ASCII without `%`, which stands for itself.
    private static func isPlain(_ path: UnsafeRawBufferPointer) -> Bool {
        // Without an early exit, so that many bytes are tested at once.
        path.reduce(0 as UInt8) { $0 | ($1 & 0x80) | ($1 == UInt8(ascii: "%") ? 1 : 0) } == 0
    }

    private static func withNormalised<Result>(
        _ path: UnsafeRawBufferPointer,
        headroom: Int,
        _ body: (PathBuffer) -> Result?
    ) -> Result? {
        var text = String(decoding: path, as: UTF8.self).precomposedStringWithCanonicalMapping
        return text.withUTF8 { normalised in
            withMemory(for: normalised.count, headroom: headroom) { memory, copy in
                copy.copyBytes(from: normalised)
                return body(PathBuffer(memory, start: headroom, count: normalised.count))
            }
        }
    }

    @inline(__always)
    private static func withMemory<Result>(
        for count: Int,
        headroom: Int,
        _ body: (_ memory: UnsafeMutableRawBufferPointer, _ path: UnsafeMutableRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(
            byteCount: headroom + count + BundledPath.folderPage.utf8CodeUnitCount,
            alignment: 1
        ) {
            body($0, UnsafeMutableRawBufferPointer(rebasing: $0[headroom..<headroom + count]))
        }
    }

    private init(_ memory: UnsafeMutableRawBufferPointer, start: Int, count: Int) {
        self.memory = memory
        self.start = start
        isFolder = memory[start + count - 1] == Self.slash
        end = isFolder ? start + count - 1 : start + count
    }

    /// The path without a slash at its end: empty, or a sequence of a slash and a component.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<end]) }

    /// The path after a prefix, inside a folder. Overwrites the prefix.
    ///
    /// - Parameters:
    ///   - folder: A valid path, or empty for the root.
    ///   - prefixByteCount: The length of the prefix, which ends at the end of a component.
    /// - Returns: Nil when it can't be the path of a file.
    func inside(_ folder: some Collection<UInt8>, after prefixByteCount: Int) -> BundledPath? {
        let slash = start + prefixByteCount
        guard !folder.isEmpty || slash < end else { return BundledPath(path: nil, page: nil, isFolder: isFolder) }
        // The slash before the rest isn't moved.
        let first = folder.isEmpty ? slash + 1 : slash - folder.count
        memory[first...].copyBytes(from: folder)
        let path = UnsafeRawBufferPointer(rebasing: memory[first..<end])
        guard BundlePathError.Reason.first(in: path) == nil else { return nil }
        let suffix = UnsafeRawBufferPointer(
            start: BundledPath.folderPage.utf8Start,
            count: BundledPath.folderPage.utf8CodeUnitCount
        )
        memory[end...].copyBytes(from: suffix)
        let page = UnsafeRawBufferPointer(rebasing: memory[first..<end + suffix.count])
        return BundledPath(path: path, page: page, isFolder: isFolder)
    }
}

/// A path inside a bundle, as bytes that are valid during the look-up.
struct BundledPath {
    /// The file name of a folder's page.
    static let folderPage: StaticString = "/index.html"

    /// The path, which follows the rules of ``/BundleModel/BundlePath``, or nil for the bundle's root.
    let path: UnsafeRawBufferPointer?
    /// The path of the page to serve if ``path`` is a folder; nil for the root.
    let page: UnsafeRawBufferPointer?
    /// Whether the URL ends in a slash.
    let isFolder: Bool
}

/// The path of a request as components: as in the look-up with bytes, for rare uses.
struct RequestPath {
    /// The decoded components, in Unicode normalisation form C; a slash at the end adds none.
    let components: [String]
    /// The same components as they were sent.
    let rawComponents: [Substring]
    /// Whether the path ends in a slash.
    let isFolder: Bool

    /// Returns nil when a component is empty, `.` or `..`, contains a slash, backslash or control character when
    /// decoded, or doesn't decode to UTF-8.
    init?(_ path: String) {
        var path = path
        let decoded = path.withUTF8 { bytes in
            PathBuffer.withDecoded(UnsafeRawBufferPointer(bytes), headroom: 0) { buffer in
                (Self.split(buffer.bytes).map { String(decoding: $0, as: UTF8.self) }, buffer.isFolder)
            }
        }
        // Below a folder, because a drive letter counts as one only at the start of a path.
        guard let (components, isFolder) = decoded, components.allSatisfy({ (try? BundlePath("x/\($0)")) != nil })
        else { return nil }
        self.components = components
        self.isFolder = isFolder
        rawComponents = Self.split(isFolder ? path.utf8.dropLast() : path.utf8[...]).map(Substring.init)
    }

    /// By bytes, because a slash and a following combining mark are one Character.
    private static func split<Path: Collection<UInt8>>(_ path: Path) -> [Path.SubSequence] {
        path.isEmpty ? [] : path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }
}

/// Tests in one pass, without allocating, whether bytes are UTF-8, and whether they are certainly in Unicode
/// normalisation form C (UAX #15 §9, quick check).
enum NormalisationCheck {
    /// What the pass found.
    enum Result {
        /// Not UTF-8.
        case invalid
        /// In normalisation form C.
        case normal
        /// Must be normalised with the full tables.
        case unknown
    }

    static func result(for bytes: UnsafeRawBufferPointer) -> Result {
        if !bytes.contains(where: { $0 >= 0x80 }) { return .normal }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var isNormal = true
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded): isNormal = isNormal && isInert(Unicode.UTF8.decode(encoded))
            case .emptyInput: return isNormal ? .normal : .unknown
            case .error: return .invalid
            }
        }
    }

    /// Whether a character stays unchanged next to any other such character: Latin, Japanese kana, Chinese and Korean
    /// letters, and no marks that compose with preceding characters.
    private static func isInert(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300, 0x3041...0x3098, 0x309B...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }
}
