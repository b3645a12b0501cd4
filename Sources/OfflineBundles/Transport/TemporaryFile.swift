import BundleEmbedding
import Foundation
import Synchronization

/// A file that only this process uses, and that is removed with the last reference. Thread-safe.
final class TemporaryFile: Sendable {
    let url: URL
    private let handle: Mutex<FileHandle>

    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when it can't be created.
    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("offline-bundles-\(UUID().uuidString)")
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: attributes) else {
            throw Self.error(nil)
        }
        do {
            handle = Mutex(try FileHandle(forUpdating: url))
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw Self.error(error)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    func append(_ bytes: some DataProtocol) throws {
        try reporting { handle in
            try handle.seekToEnd()
            try handle.write(contentsOf: bytes)
        }
    }

    /// Up to `count` bytes.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    func read(at offset: UInt64, count: Int) throws -> Data {
        try reporting { handle in
            try handle.seek(toOffset: offset)
            return try handle.read(upToCount: count) ?? Data()
        }
    }

    func empty() throws {
        try reporting { try $0.truncate(atOffset: 0) }
    }

    private func reporting<Result: Sendable>(_ body: (FileHandle) throws -> sending Result) throws -> Result {
        do {
            return try handle.withLock { try body($0) }
        } catch {
            throw Self.error(error)
        }
    }

    private static func error(_ cause: (any Error)?) -> BundleError {
        let folder = FileManager.default.temporaryDirectory.path
        return BundleError(.outputUnavailable, "a temporary file in \(folder) can't be used", .freeSpace, cause: cause)
    }
}

/// Bytes that have arrived and aren't read yet: in memory while they are few, the rest in a temporary file.
struct ReceivedContent {
    /// How much is held in memory.
    static let memoryByteCount = 1 << 20
    /// How much is read from the file at a time.
    private static let pieceByteCount = 256 << 10

    private var parts: [[UInt8]] = []
    private var first = 0
    private(set) var heldByteCount = 0
    private var file: TemporaryFile?
    private var (readOffset, endOffset): (UInt64, UInt64) = (0, 0)

    /// Whether there is nothing to read.
    var isEmpty: Bool { byteCount == 0 }

    /// Whether no more should arrive until some of it has been read.
    var isFull: Bool { heldByteCount >= Self.memoryByteCount }

    var byteCount: Int64 { Int64(heldByteCount) + Int64(endOffset - readOffset) }

    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    mutating func append(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        // What is in the file comes first.
        guard isFull || readOffset < endOffset else {
            parts.append(bytes)
            heldByteCount += bytes.count
            return
        }
        let file = try file ?? TemporaryFile()
        self.file = file
        try file.append(bytes)
        endOffset += UInt64(bytes.count)
    }

    /// The next bytes; nil when there are none.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    mutating func take() throws -> [UInt8]? {
        if first < parts.count {
            let part = parts[first]
            parts[first] = []
            first += 1
            heldByteCount -= part.count
            if first == parts.count { (parts, first) = ([], 0) }
            return part
        }
        guard let file, readOffset < endOffset else { return nil }
        let piece = try file.read(at: readOffset, count: Int(min(UInt64(Self.pieceByteCount), endOffset - readOffset)))
        readOffset += UInt64(piece.count)
        if readOffset == endOffset || piece.isEmpty {
            try file.empty()
            (readOffset, endOffset) = (0, 0)
        }
        return [UInt8](piece)
    }
}

/// A request's content that has been read to its end: short in memory, long in a temporary file.
struct SpooledContent: Sendable {
    enum Storage: Sendable {
        case memory(Data)
        case file(TemporaryFile)
    }

    private static let memoryByteCount = 1 << 20

    let storage: Storage

    /// - Parameter length: The length that the request states; nil when it states none.
    /// - Throws: What reading the content throws; ``/BundleModel/BundleError`` with code `invalidArgument` when it has
    ///   another length, and with code `outputUnavailable` when the file can't be written.
    init(reading content: BodyStream, length: String?) async throws {
        var (bytes, count, file) = (Data(), 0, TemporaryFile?.none)
        for try await chunk in content {
            count += chunk.count
            if file == nil, count > Self.memoryByteCount {
                let created = try TemporaryFile()
                try created.append(bytes)
                (file, bytes) = (created, Data())
            }
            if let file { try file.append(chunk) } else { bytes.append(contentsOf: chunk) }
        }
        guard length.map({ $0 == "\(count)" }) ?? true else {
            throw BundleError(
                .invalidArgument,
                "the request can't be sent: its content has \(count) bytes, and its Content-Length is another"
            )
        }
        storage = file.map(Storage.file) ?? .memory(bytes)
    }
}
