import BundleStore
import Foundation
import HTTPCore

/// A file of this machine that is sent to a place. It is open, so that replacing it changes nothing. Safe to share between threads.
struct LocalFile: Sendable {
    private static let chunkByteCount = 256 << 10

    /// Its path, for messages.
    let path: String
    /// The length in bytes.
    let byteCount: Int64
    private let file: ConfinedFile

    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be opened, or has another length than `change`
    ///   says.
    init(_ change: PlaceChange.File) throws(BundleError) {
        let url = URL(filePath: change.path)
        do throws(ConfinedFile.Problem) {
            file = try ConfinedFile([url.lastPathComponent], below: url.deletingLastPathComponent().path)
        } catch {
            throw BundleError(.inputUnavailable, "\(Printable.line(change.path)) \(error); publish again", cause: error)
        }
        (path, byteCount) = (change.path, file.byteCount)
        guard byteCount == change.size else { throw changed }
    }

    /// Reads a part, as a whole.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read, or ends earlier.
    func read(_ range: Range<Int64>) throws(BundleError) -> [UInt8] {
        do throws(ConfinedFile.Problem) {
            let bytes = try file.read(at: range.lowerBound, atMost: range.count)
            if bytes.count == range.count { return bytes }
        } catch {
            throw BundleError(.inputUnavailable, "\(Printable.line(path)) \(error); publish again", cause: error)
        }
        throw changed
    }

    /// All of it, in chunks that are read as they are sent.
    ///
    /// - Parameter sent: Called with the number of bytes that have been read.
    func stream(_ sent: @escaping @Sendable (Int64) -> Void) -> BodyStream {
        BodyStream(Chunks(file: self, sent: sent))
    }

    private var changed: BundleError {
        BundleError(.inputUnavailable, "\(Printable.line(path)) was changed while it was published; publish again")
    }

    private struct Chunks: AsyncSequence, Sendable {
        typealias Element = [UInt8]

        let file: LocalFile
        let sent: @Sendable (Int64) -> Void

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file, sent: sent) }

        struct AsyncIterator: AsyncIteratorProtocol {
            let file: LocalFile
            let sent: @Sendable (Int64) -> Void
            private let executor = BlockingExecutor()
            private var position: Int64 = 0

            fileprivate init(file: LocalFile, sent: @escaping @Sendable (Int64) -> Void) {
                (self.file, self.sent) = (file, sent)
            }

            mutating func next() async throws -> [UInt8]? {
                try Task.checkCancellation()
                let range = position..<Swift.min(position + Int64(LocalFile.chunkByteCount), file.byteCount)
                guard !range.isEmpty else { return nil }
                // Away from the threads that tasks share.
                let bytes = try await withTaskExecutorPreference(executor) { [file] in try file.read(range) }
                position = range.upperBound
                sent(position)
                return bytes
            }
        }
    }
}
