import BundleModel
import HTTPTypes

/// Finds the content of an HTTP/1 request in the received bytes, up to its end (RFC 9112 §6.3, §7.1), and refuses what
/// two receivers could read in two ways, as ``RequestHeadScanner`` does.
///
/// A value type; safe to share between threads. The time is proportional to the number of bytes.
package struct RequestContentScanner: Sendable {
    /// What the bytes begin with.
    package enum Step: Equatable, Sendable {
        /// Content at this place; the next step begins at its end.
        case content(Range<Int>)
        /// The content's end, after this many bytes.
        case end(Int)
        /// More bytes are needed, after this many.
        case incomplete(Int)
    }

    private enum Position: Sendable {
        case content(remaining: Int)
        case chunkLine
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
    }

    /// The maximum length of a line that begins a chunk, in bytes.
    private static let chunkLineByteCount = 1 << 10
    /// How much longer all chunk extensions may be than the content, in bytes.
    private static let extensionByteCount = 16 << 10

    /// The trailer fields, once the content has ended (§7.1.2).
    package private(set) var trailers = HTTPFields()
    private let limits: RequestHeadLimits
    private var position: Position
    private var chunks = ChunkLines(maximumExtensionByteCount: extensionByteCount)
    private var trailerByteCount = 0
    private var trailerCount = 0

    /// - Parameter limits: Those of a head, which the trailer section has too.
    /// - Returns: Nil when there is no content.
    package init?(_ framing: RequestHead.Framing, limits: RequestHeadLimits) {
        switch framing {
        case .none, .length(0): return nil
        case .length(let count): position = .content(remaining: count)
        case .chunked: position = .chunkLine
        }
        self.limits = limits
    }

    /// How many bytes of content are still to come; nil when that isn't known.
    package var remainingByteCount: Int? {
        if case .content(let remaining) = position { remaining } else { nil }
    }

    /// Scans the received bytes behind the earlier steps.
    ///
    /// - Parameter limit: The maximum length of content found in one step; at least 1.
    package mutating func scan(
        _ bytes: UnsafeRawBufferPointer,
        atMost limit: Int
    ) throws(MalformedRequest) -> Step {
        var taken = 0
        while true {
            switch position {
            case .content(let remaining), .chunk(let remaining):
                let count = min(remaining, limit, bytes.count - taken)
                return count > 0
                    ? take(count, of: remaining, at: taken) : remaining == 0 ? .end(taken) : .incomplete(taken)
            case .chunkLine, .chunkEnd, .trailers:
                guard let line = try line(of: bytes, from: taken) else { return .incomplete(taken) }
                taken = line.upperBound + 2
                if try takeLine(UnsafeRawBufferPointer(rebasing: bytes[line])) { return .end(taken) }
            }
        }
    }

    private mutating func take(_ count: Int, of remaining: Int, at start: Int) -> Step {
        chunks.contentByteCount += count
        if case .content = position {
            position = .content(remaining: remaining - count)
        } else {
            position = count == remaining ? .chunkEnd : .chunk(remaining: remaining - count)
        }
        return .content(start..<start + count)
    }
}

// MARK: - Lines

extension RequestContentScanner {
    private var maximumLineByteCount: Int {
        switch position {
        case .chunkEnd: 2
        case .trailers: limits.byteCount
        default: min(Self.chunkLineByteCount, limits.byteCount)
        }
    }

    /// The next line without its end, which must be CR and LF; nil when it is incomplete.
    private func line(of bytes: UnsafeRawBufferPointer, from start: Int) throws(MalformedRequest) -> Range<Int>? {
        guard let end = HeadBytes.lineFeed(in: bytes, from: start) else {
            guard bytes.count - start < maximumLineByteCount else { throw excess }
            return nil
        }
        guard end - start < maximumLineByteCount else { throw excess }
        guard end > start, bytes[end - 1] == HeadBytes.carriageReturn else { throw .syntax }
        return start..<end - 1
    }

    private var excess: MalformedRequest { if case .trailers = position { .tooLong } else { .syntax } }

    /// Returns whether the content has ended.
    private mutating func takeLine(_ line: UnsafeRawBufferPointer) throws(MalformedRequest) -> Bool {
        switch position {
        case .chunkLine: try takeChunkLine(line)
        case .chunkEnd:
            guard line.isEmpty else { throw .syntax }
            position = .chunkLine
        case .trailers where line.isEmpty:
            trailers = trailers.asTrailers
            position = .content(remaining: 0)
            return true
        case .trailers: try takeTrailer(line)
        case .content, .chunk: break
        }
        return false
    }

    private mutating func takeChunkLine(_ line: UnsafeRawBufferPointer) throws(MalformedRequest) {
        switch chunks.take(line) {
        case .size(0): position = .trailers
        case .size(let size): position = .chunk(remaining: size)
        case .malformed: throw .syntax
        case .tooLong: throw .tooLong
        }
    }

    private mutating func takeTrailer(_ line: UnsafeRawBufferPointer) throws(MalformedRequest) {
        trailerByteCount += line.count + 2
        trailerCount += 1
        guard trailerByteCount <= limits.byteCount, trailerCount <= limits.fieldCount else { throw .tooLong }
        guard let colon = line.firstIndex(where: { !HTTPSyntax.isTokenByte($0) }), colon > 0,
            line[colon] == UInt8(ascii: ":")
        else { throw .syntax }
        let value = HeadBytes.trimmed(colon + 1..<line.count, of: line)
        guard HeadBytes.isFieldText(line, value) else { throw .syntax }
        guard let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)) else { throw .syntax }
        trailers.append(HTTPField(name: name, lenientValue: line[value]))
    }
}

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
