import BundleEmbedding
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The content of a request, wherever the loading system has put it: Apple's turns data into a stream before a `URLProtocol`
/// sees it.
///
/// `@unchecked Sendable`: a stream is read by one at a time.
package enum URLRequestContent: @unchecked Sendable {
    case none
    case data(Data)
    case file(URL, byteCount: Int)
    case stream(InputStream)

    /// What is in a file; nothing when there is no such file.
    init(file: URL) {
        let count = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize
        self = count.map { .file(file, byteCount: $0) } ?? .none
    }

    package init(_ request: URLRequest) {
        if let data = request.httpBody {
            self = .data(data)
        } else if let stream = request.httpBodyStream {
            self = .stream(stream)
        } else {
            self = .none
        }
    }

    /// Nil when there is none.
    package var bytes: BodyStream? {
        switch self {
        case .none: nil
        case .data(let data): BodyStream([UInt8](data))
        case .file(let file, _): InputStream(url: file).map { BodyStream(StreamChunks(source: StreamSource($0))) }
        case .stream(let stream): BodyStream(StreamChunks(source: StreamSource(stream)))
        }
    }

    /// The length; nil when it isn't known, or there is no content.
    var length: Int? {
        switch self {
        case .none, .stream: nil
        case .data(let data): data.count
        case .file(_, let byteCount): byteCount
        }
    }

    /// Whether it can be read once only.
    var isStream: Bool { if case .stream = self { true } else { false } }
}

/// The chunks of a stream.
private struct StreamChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let source: StreamSource

    func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    struct Iterator: AsyncIteratorProtocol {
        let source: StreamSource

        func next() async throws -> [UInt8]? { try await source.next() }
    }
}

/// A stream that is read on a queue of its own, since reading waits.
///
/// `@unchecked Sendable`: the stream is used on the queue alone.
private final class StreamSource: @unchecked Sendable {
    private static let chunkByteCount = 64 << 10

    private let stream: InputStream
    private let queue = DispatchQueue(label: "org.offline-bundles.content")
    private var isOpen = false

    init(_ stream: InputStream) {
        self.stream = stream
    }

    deinit {
        if isOpen { stream.close() }
    }

    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.read() }) }
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
