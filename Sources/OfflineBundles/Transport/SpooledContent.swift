import BundleEmbedding
import Foundation

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
