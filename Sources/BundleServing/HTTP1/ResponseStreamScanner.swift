import BundleStore

/// Follows the responses on a client's connection as their bytes arrive, and refuses malformed HTTP/1 before anything
/// else reads it (RFC 9112). It keeps only numbers in memory.
///
/// Anything that two receivers could read in two ways is refused, as by ``RequestHeadScanner``: a bare line feed, white
/// space around a name, a folded line, a length that is stated twice (§11.1).
public struct ResponseStreamScanner: Sendable {
    /// The element of the stream that comes next.
    enum Position: Sendable, Equatable {
        /// Nothing, before the next request.
        case nothing
        case statusLine
        case fields
        /// Content of a known length.
        case content(remaining: Int)
        /// Content that ends with the connection (§6.3).
        case contentUntilClose
        case chunkLine
        case chunk(remaining: Int)
        /// The end of line after a chunk.
        case chunkEnd
        case trailers
    }

    let limits: ResponseStreamLimits
    private(set) var position = Position.nothing
    /// How many of the waiting bytes have been searched and contain no line feed.
    private var searchedByteCount = 0
    private var head = ResponseHeadReader()
    private var interimCount = 0
    private var sectionByteCount = 0
    private var fieldCount = 0
    private var extensionByteCount = 0
    private var contentByteCount = 0

    /// Creates a scanner.
    public init(limits: ResponseStreamLimits = ResponseStreamLimits()) {
        self.limits = limits
    }

    /// Whether a response is under way, or awaited.
    public var expectsMore: Bool { position != .nothing }

    /// Awaits the response to a request that is being sent.
    ///
    /// - Parameter isHead: Whether the request is a HEAD, whose response has no content (RFC 9110 §9.3.2).
    public mutating func expectResponse(toHead isHead: Bool) {
        head = ResponseHeadReader(isForHead: isHead)
        searchedByteCount = 0
        (interimCount, sectionByteCount, fieldCount, extensionByteCount, contentByteCount) = (0, 0, 0, 0, 0)
        position = .statusLine
    }

    /// Examines all bytes that have arrived and have not been taken.
    ///
    /// - Returns: How many of them are valid and taken: at most to the end of a response. The rest waits for more
    ///   bytes, unless the response has ended.
    /// - Throws: ``MalformedResponse``; after that, nothing further may be read on the connection.
    public mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(MalformedResponse) -> Int {
        var taken = 0
        while taken < bytes.count {
            let count = try takeNext(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
            taken += count
            if count == 0 || position == .nothing { break }
        }
        return taken
    }

    private mutating func takeNext(_ bytes: UnsafeRawBufferPointer) throws(MalformedResponse) -> Int {
        switch position {
        case .nothing: throw .unsolicited
        case .content(let remaining): return takeContent(bytes.count, of: remaining)
        case .chunk(let remaining): return takeChunk(bytes.count, of: remaining)
        case .contentUntilClose: return bytes.count
        case .statusLine, .fields, .trailers, .chunkLine, .chunkEnd: return try takeLine(bytes)
        }
    }

    private mutating func takeContent(_ count: Int, of remaining: Int) -> Int {
        let count = min(count, remaining)
        position = count == remaining ? .nothing : .content(remaining: remaining - count)
        return count
    }

    private mutating func takeChunk(_ count: Int, of remaining: Int) -> Int {
        let count = min(count, remaining)
        contentByteCount += count
        position = count == remaining ? .chunkEnd : .chunk(remaining: remaining - count)
        return count
    }
}

// MARK: - Lines

extension ResponseStreamScanner {
    /// Returns 0 when the line isn't complete.
    private mutating func takeLine(_ bytes: UnsafeRawBufferPointer) throws(MalformedResponse) -> Int {
        guard let end = HeadBytes.lineFeed(in: bytes, from: searchedByteCount) else {
            try checkBeginning(bytes)
            searchedByteCount = bytes.count
            return 0
        }
        searchedByteCount = 0
        guard end < maximumLineByteCount else { throw excess }
        guard end > 0, bytes[end - 1] == HeadBytes.carriageReturn else { throw problem }
        try take(UnsafeRawBufferPointer(rebasing: bytes[..<(end - 1)]))
        return end + 1
    }

    /// Refuses immediately what can't be the beginning of a line.
    private func checkBeginning(_ bytes: UnsafeRawBufferPointer) throws(MalformedResponse) {
        guard bytes.count < maximumLineByteCount else { throw excess }
        guard position == .statusLine else { return }
        let beginning = "HTTP/1.".utf8
        guard bytes.starts(with: beginning) || beginning.starts(with: bytes) else { throw .syntax }
    }

    private var maximumLineByteCount: Int {
        switch position {
        case .chunkLine: limits.chunkLineByteCount
        case .chunkEnd: 2
        default: limits.lineByteCount
        }
    }

    private var isInChunks: Bool { position == .chunkLine || position == .chunkEnd }
    private var excess: MalformedResponse { isInChunks ? .chunk : .tooLong }
    private var problem: MalformedResponse { isInChunks ? .chunk : .syntax }

    private mutating func take(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        switch position {
        case .statusLine:
            sectionByteCount = 0
            try countLine(line)
            try head.takeStatusLine(line)
            position = .fields
        case .fields where line.isEmpty: try finishHead()
        case .fields:
            try countField(line)
            try head.takeField(line)
        case .chunkLine: try takeChunkLine(line)
        case .chunkEnd:
            guard line.isEmpty else { throw .chunk }
            position = .chunkLine
        case .trailers where line.isEmpty: position = .nothing
        case .trailers:
            try countField(line)
            try head.takeTrailer(line)
        case .nothing, .content, .chunk, .contentUntilClose: break
        }
    }

    private mutating func countLine(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        sectionByteCount += line.count + 2
        guard sectionByteCount + 2 <= limits.headByteCount else { throw .tooLong }
    }

    private mutating func countField(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        try countLine(line)
        fieldCount += 1
        guard fieldCount <= limits.fieldCount else { throw .tooLong }
    }

    private mutating func finishHead() throws(MalformedResponse) {
        let framing = try head.framing()
        sectionByteCount = 0
        guard !head.isInterim else { return try finishInterim() }
        switch framing {
        case .none, .length(0): position = .nothing
        case .length(let count): position = .content(remaining: count)
        case .chunked: position = .chunkLine
        case .untilClose: position = .contentUntilClose
        }
    }

    private mutating func finishInterim() throws(MalformedResponse) {
        interimCount += 1
        guard interimCount <= limits.interimCount else { throw .interim }
        head = ResponseHeadReader(isForHead: head.isForHead)
        fieldCount = 0
        position = .statusLine
    }

    /// The size in hexadecimal digits, and optional extensions, which are ignored (RFC 9112 §7.1.1).
    private mutating func takeChunkLine(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        let digits = line.prefix { Hexadecimal.value(of: $0) != nil }
        // More digits could overflow.
        guard (1...15).contains(digits.count) else { throw .chunk }
        let extensions = digits.endIndex..<line.count
        if !extensions.isEmpty {
            guard line[digits.endIndex] == UInt8(ascii: ";"), HeadBytes.isFieldText(line, extensions) else {
                throw .chunk
            }
            extensionByteCount += extensions.count
            guard extensionByteCount - contentByteCount <= limits.chunkExtensionByteCount else { throw .chunk }
        }
        let size = digits.reduce(0) { $0 << 4 | Int(Hexadecimal.value(of: $1) ?? 0) }
        position = size == 0 ? .trailers : .chunk(remaining: size)
    }
}
