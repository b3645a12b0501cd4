import BundleEmbedding
import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The content of a request, wherever the loading system has put it. Apple's turns data into a stream before a `URLProtocol` or a
/// `WKURLSchemeHandler` sees it. Safe to share between threads.
package enum URLRequestContent: Sendable {
    case none
    case bytes([UInt8])
    /// The size is nil for a file that can't be read.
    case file(URL, byteCount: Int?)
    case stream(RepeatableStream)

    package init(_ bytes: [UInt8]) {
        self = bytes.isEmpty ? .none : .bytes(bytes)
    }

    init(file: URL) {
        self = .file(file, byteCount: try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize)
    }

    package init(_ stream: InputStream) {
        self = .stream(RepeatableStream(stream))
    }

    package init(_ request: URLRequest) {
        if let data = request.httpBody {
            self = .bytes([UInt8](data))
        } else if let stream = request.httpBodyStream {
            self.init(stream)
        } else {
            self = .none
        }
    }

    /// For one attempt to send it, from its beginning; nil when there is none.
    package var body: BodyStream? {
        switch self {
        case .none: nil
        case .bytes(let bytes): BodyStream(bytes)
        case .file(let file, _): InputStream(url: file).map { BodyStream(StreamChunks(source: RepeatableStream($0))) }
        case .stream(let stream): BodyStream(StreamChunks(source: stream))
        }
    }

    /// The length; nil when it isn't known, or there is no content.
    package var length: Int? {
        switch self {
        case .none, .stream: nil
        case .bytes(let bytes): bytes.count
        case .file(_, let byteCount): byteCount
        }
    }

    /// All of it, if it is in memory; empty without content, nil otherwise.
    var whole: [UInt8]? {
        switch self {
        case .none: []
        case .bytes(let bytes): bytes
        case .file: nil
        case .stream(let stream): stream.whole
        }
    }

    /// Leaves its stream to another reader, unless reading has begun.
    ///
    /// - Returns: Whether the stream is whole, and can't be read here any more; false without a stream.
    func giveAwayStream() -> Bool { if case .stream(let stream) = self { stream.giveAway() } else { false } }

    /// Whether it can be sent from its beginning, perhaps once more.
    package var canBeSent: Bool { if case .stream(let stream) = self { stream.canBeRead } else { true } }
}

/// A stream of content that can be read again while it is short: after a challenge, or where a redirect leads.
///
/// It is read on a queue of its own, since reading waits.
///
/// `@unchecked Sendable`: `InputStream` isn't Sendable. It is used on the queue alone, and not any more once it has been given away.
package final class RepeatableStream: @unchecked Sendable {
    private struct State {
        /// The bytes that have been read; empty once there were too many.
        var kept: [UInt8] = []
        var readByteCount = 0
        var hasBegun = false
        var hasEnded = false
        var isGivenAway = false
    }

    /// The most content that is kept for another attempt.
    static let keptByteCount = 1 << 20
    private static let chunkByteCount = 64 << 10

    private let stream: InputStream
    private let queue = DispatchQueue(label: "org.offline-bundles.content")
    private var isOpen = false
    private let state = Mutex(State())

    init(_ stream: InputStream) {
        self.stream = stream
    }

    deinit {
        if isOpen { stream.close() }
    }

    /// Whether it can be read from its beginning. Doesn't wait.
    var canBeRead: Bool { state.withLock { $0.kept.count == $0.readByteCount } }

    /// All bytes, if the stream was read to its end and they are kept.
    var whole: [UInt8]? { state.withLock { $0.hasEnded && $0.kept.count == $0.readByteCount ? $0.kept : nil } }

    /// Leaves the stream to another reader, unless reading has begun. Doesn't wait.
    func giveAway() -> Bool {
        state.withLock { state in
            guard !state.hasBegun else { return false }
            state.isGivenAway = true
            return true
        }
    }

    /// The bytes from an offset on; nil at the end.
    ///
    /// - Throws: `URLError` with code `requestBodyStreamExhausted` when they were read before and aren't kept, or can't be read.
    fileprivate func chunk(at offset: Int) async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.readChunk(at: offset) }) }
        }
    }

    private func readChunk(at offset: Int) throws -> [UInt8]? {
        if let kept = try keptChunk(at: offset) { return kept }
        guard let chunk = try read() else {
            state.withLock { $0.hasEnded = true }
            return nil
        }
        state.withLock { state in
            state.readByteCount += chunk.count
            if state.readByteCount > Self.keptByteCount {
                state.kept = []
            } else {
                state.kept += chunk
            }
        }
        return chunk
    }

    /// Nil when the stream has to be read.
    private func keptChunk(at offset: Int) throws -> [UInt8]? {
        try state.withLock { state in
            guard !state.isGivenAway else { throw URLError(.requestBodyStreamExhausted) }
            state.hasBegun = true
            if offset < state.kept.count { return Array(state.kept[offset...].prefix(Self.chunkByteCount)) }
            guard offset == state.readByteCount else { throw URLError(.requestBodyStreamExhausted) }
            return nil
        }
    }

    private func read() throws -> [UInt8]? {
        if !isOpen {
            stream.open()
            isOpen = true
        }
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = max(0, stream.read(start, maxLength: buffer.count))
        }
        guard chunk.isEmpty else { return chunk }
        // Its error isn't asked for: on Linux that ends the process when there is none.
        guard stream.streamStatus != .error else { throw URLError(.requestBodyStreamExhausted) }
        return nil
    }
}

/// The chunks of a stream, from its beginning.
private struct StreamChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let source: RepeatableStream

    func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    struct Iterator: AsyncIteratorProtocol {
        let source: RepeatableStream
        var offset = 0

        mutating func next() async throws -> [UInt8]? {
            let chunk = try await source.chunk(at: offset)
            offset += chunk?.count ?? 0
            return chunk
        }
    }
}
