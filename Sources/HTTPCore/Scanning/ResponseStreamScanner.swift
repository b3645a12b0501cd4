import HTTPTypes

/// Reads the responses on a client's connection as their bytes arrive, and refuses malformed HTTP/1 (RFC 9112). Of a
/// response it keeps only the fields in memory.
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
        /// The response is complete, but its end hasn't been reported.
        case end
    }

    let limits: ResponseStreamLimits
    private(set) var position = Position.nothing
    /// How many of the waiting bytes have been searched and contain no line feed.
    private var searchedByteCount = 0
    private var head = ResponseHeadReader()
    private var interimCount = 0
    private var sectionByteCount = 0
    private var fieldCount = 0
    private var chunks: ChunkLines
    private var trailers = HTTPFields()

    /// Creates a scanner.
    public init(limits: ResponseStreamLimits = ResponseStreamLimits()) {
        self.limits = limits
        chunks = ChunkLines(maximumExtensionByteCount: limits.chunkExtensionByteCount)
    }

    /// Whether a response is under way, or awaited.
    public var expectsMore: Bool { position != .nothing }

    /// Whether the end of the connection is the end of the response that is under way.
    public var endsWithConnection: Bool { position == .contentUntilClose }

    /// How much of the content is still to come; nil when that isn't known.
    public var remainingByteCount: Int? {
        switch position {
        case .nothing, .end: 0
        case .content(let remaining): remaining
        default: nil
        }
    }

    /// Awaits the response to a request that is being sent.
    ///
    /// - Parameters:
    ///   - isHead: Whether the request is a HEAD, whose response has no content (RFC 9110 §9.3.2).
    ///   - mayUpgrade: Whether the request asks for another protocol. All bytes after a 101 (Switching Protocols) are
    ///     content.
    public mutating func expectResponse(toHead isHead: Bool, mayUpgrade: Bool = false) {
        head = ResponseHeadReader(isForHead: isHead, mayUpgrade: mayUpgrade)
        searchedByteCount = 0
        (interimCount, sectionByteCount, fieldCount) = (0, 0, 0)
        chunks = ChunkLines(maximumExtensionByteCount: limits.chunkExtensionByteCount)
        trailers = [:]
        position = .statusLine
    }

    /// Reads on in the bytes that have arrived.
    ///
    /// - Parameters:
    ///   - bytes: All bytes that have not been taken, and `taken` of them that have.
    ///   - taken: How many are taken. It is advanced, at most to the end of a response.
    /// - Returns: What comes next; nil when more bytes are needed to know.
    /// - Throws: ``MalformedResponse``; after that, nothing further may be read on the connection.
    public mutating func next(
        _ bytes: UnsafeRawBufferPointer,
        _ taken: inout Int
    ) throws(MalformedResponse) -> ResponseEvent? {
        while true {
            if position == .end { return takeEnd() }
            guard taken < bytes.count else { return nil }
            let start = taken
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            switch position {
            case .nothing, .end: throw .unsolicited
            case .content(let remaining): taken += takeContent(rest.count, of: remaining)
            case .chunk(let remaining): taken += takeChunk(rest.count, of: remaining)
            case .contentUntilClose: taken += rest.count
            case .statusLine, .fields, .trailers, .chunkLine, .chunkEnd:
                var event: ResponseEvent?
                let count = try takeLine(rest, &event)
                taken += count
                if event != nil || count == 0 { return event }
                continue
            }
            return .content(start..<taken)
        }
    }

    private mutating func takeEnd() -> ResponseEvent {
        position = .nothing
        return .end(trailers: trailers)
    }

    private mutating func takeContent(_ count: Int, of remaining: Int) -> Int {
        let count = min(count, remaining)
        position = count == remaining ? .end : .content(remaining: remaining - count)
        return count
    }

    private mutating func takeChunk(_ count: Int, of remaining: Int) -> Int {
        let count = min(count, remaining)
        chunks.contentByteCount += count
        position = count == remaining ? .chunkEnd : .chunk(remaining: remaining - count)
        return count
    }
}

// MARK: - Lines

extension ResponseStreamScanner {
    /// Returns 0 when the line isn't complete.
    private mutating func takeLine(
        _ bytes: UnsafeRawBufferPointer,
        _ event: inout ResponseEvent?
    ) throws(MalformedResponse) -> Int {
        guard let end = HeadBytes.lineFeed(in: bytes, from: searchedByteCount) else {
            try checkBeginning(bytes)
            searchedByteCount = bytes.count
            return 0
        }
        searchedByteCount = 0
        guard end < maximumLineByteCount else { throw excess }
        guard end > 0, bytes[end - 1] == HeadBytes.carriageReturn else { throw problem }
        event = try take(UnsafeRawBufferPointer(rebasing: bytes[..<(end - 1)]))
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

    private mutating func take(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) -> ResponseEvent? {
        switch position {
        case .statusLine:
            sectionByteCount = 0
            try countLine(line)
            try head.takeStatusLine(line)
            position = .fields
        case .fields where line.isEmpty: return try finishHead()
        case .fields:
            try countField(line)
            try head.takeField(line)
        case .chunkLine: try takeChunkLine(line)
        case .chunkEnd:
            guard line.isEmpty else { throw .chunk }
            position = .chunkLine
        case .trailers where line.isEmpty: position = .end
        case .trailers:
            try countField(line)
            trailers.append(try head.trailer(line))
        case .nothing, .content, .chunk, .contentUntilClose, .end: break
        }
        return nil
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

    private mutating func finishHead() throws(MalformedResponse) -> ResponseEvent {
        let framing = try head.framing()
        sectionByteCount = 0
        guard !head.isInterim else { return try finishInterim() }
        switch framing {
        case .none, .length(0): position = .end
        case .length(let count): position = .content(remaining: count)
        case .chunked: position = .chunkLine
        case .untilClose: position = .contentUntilClose
        }
        return .head(head.head(framing))
    }

    private mutating func finishInterim() throws(MalformedResponse) -> ResponseEvent {
        interimCount += 1
        guard interimCount <= limits.interimCount else { throw .interim }
        let interim = head.response
        head = ResponseHeadReader(isForHead: head.isForHead, mayUpgrade: head.mayUpgrade)
        fieldCount = 0
        position = .statusLine
        return .interim(interim)
    }

    private mutating func takeChunkLine(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        switch chunks.take(line) {
        case .size(0): position = .trailers
        case .size(let size): position = .chunk(remaining: size)
        case .malformed, .tooLong: throw .chunk
        }
    }
}

/// What ``ResponseStreamScanner`` finds in a stream. A value type; safe to share between threads.
public enum ResponseEvent: Sendable {
    /// The head of a response that another one follows (RFC 9110 §15.2).
    case interim(HTTPResponse)
    /// The head of the response.
    case head(ResponseHead)
    /// A part of the content: the positions of its bytes.
    case content(Range<Int>)
    /// The end of the response.
    case end(trailers: HTTPFields)
}

/// The head of a final response as it was sent. A value type; safe to share between threads.
public struct ResponseHead: Sendable {
    /// The status and the fields.
    public let response: HTTPResponse
    /// In what coding the chunks are; nil for none.
    public let transferCoding: TransferCoding?
    /// Whether the connection can be used for another request after the response (RFC 9112 §9.3).
    public let keepsConnection: Bool
}

/// The limits of a response, apart from its content. A value type; safe to share between threads.
public struct ResponseStreamLimits: Sendable, Hashable {
    /// The maximum length of a status line or field line in bytes, with its end; at least 1.
    public var lineByteCount = 64 << 10
    /// The maximum length of a head in bytes, with its empty line, and that of a trailer section; at least 1.
    public var headByteCount = 256 << 10
    /// The maximum number of fields, those of the trailer section included; at least 1.
    public var fieldCount = 256
    /// The maximum number of interim responses before a response.
    public var interimCount = 16
    /// The maximum length of the line that begins a chunk, in bytes, with its end; at least 16.
    public var chunkLineByteCount = 4 << 10
    /// By how many bytes chunk extensions may exceed the content.
    public var chunkExtensionByteCount = 16 << 10

    /// The default limits: lines of 64 KiB, heads of 256 KiB with 256 fields, 16 interim responses, and 16 KiB of chunk
    /// extensions.
    public init() {}
}

/// Why bytes from a server aren't accepted as a response. A value type; safe to share between threads.
public enum MalformedResponse: Error, Sendable, CaseIterable {
    /// Bytes that aren't an HTTP/1 message (RFC 9112 §2.2).
    case syntax
    /// A status outside of 100 to 599 (RFC 9110 §15), or a switch of protocols (§15.2.2) that wasn't asked for.
    case status
    /// A line, a head or a trailer section that is too long, or has too many fields.
    case tooLong
    /// A length that is stated twice, or in no valid way (RFC 9112 §6.3).
    case framing
    /// A transfer coding that isn't supported (RFC 9112 §6.1), or content that isn't in its coding.
    case transferCoding
    /// Too many interim responses (RFC 9110 §15.2), or one with content.
    case interim
    /// Malformed chunks, or chunk extensions that are too long (RFC 9112 §7.1).
    case chunk
    /// Bytes that aren't part of a response to any request (RFC 9112 §9.2).
    case unsolicited

    /// What is wrong, for an error message.
    public var explanation: String {
        switch self {
        case .syntax: "what came isn't HTTP"
        case .status: "the status of its response isn't one of 100 to 599, or switches protocols"
        case .tooLong: "the head of its response is too long"
        case .framing: "its response doesn't state its length in exactly one way"
        case .transferCoding: "the transfer coding of its response isn't supported, or damaged"
        case .interim: "it sent too many interim responses, or one with content"
        case .chunk: "the chunks of its response are malformed"
        case .unsolicited: "it sent more than was asked for"
        }
    }
}
