import BundleStore
import Foundation
import HTTPCore

/// Reads a part of a file in chunks, away from the threads that tasks share.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let file: ConfinedFile
    /// Within the file as it was when it was opened.
    let range: Range<Int64>
    /// Where it is, for messages.
    let url: URL

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        private let chunks: FileChunks
        private let executor = BlockingExecutor()
        private var position: Int64

        fileprivate init(chunks: FileChunks) {
            self.chunks = chunks
            position = chunks.range.lowerBound
        }

        /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the file became shorter, or its medium is
        ///   gone.
        mutating func next() async throws -> [UInt8]? {
            try Task.checkCancellation()
            let rest = chunks.range.upperBound - position
            guard rest > 0 else { return nil }
            let (start, count) = (position, Int(Swift.min(rest, Int64(ByteSliceChunks.maximumByteCount))))
            let bytes = try await withTaskExecutorPreference(executor) { [chunks] in
                try chunks.read(at: start, count)
            }
            position += Int64(bytes.count)
            return bytes
        }
    }

    private func read(at position: Int64, _ count: Int) throws(BundleError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(ConfinedFile.Problem) {
            bytes = try file.read(at: position, atMost: count)
        } catch {
            let cause = error == .absent ? AbsentPlace() : nil
            throw BundleError(.networkUnavailable, "\(url.reported) \(error); try again", cause: cause)
        }
        guard bytes.count == count else {
            throw BundleError(.networkUnavailable, "\(url.reported) became shorter while it was read; try again")
        }
        return bytes
    }
}
