import BundleArchive
import BundleInstall
import BundleStore
import Foundation

/// Writes files to a zip: batches of pieces are read, compressed on all processors, and written.
///
/// At most 8 MiB of files, a large piece of 4 MiB besides, and what these become are in memory at a time.
final class ZipPacking: PipelineStages {
    private let path: String
    private let writer: ZipWriter
    private var files: ArraySlice<FolderContents.File>
    private var reading: (file: PackedFile, pieces: ZipPieces)?
    /// A piece that didn't fit into the batch before.
    private var waiting: PackBatch.Item?
    /// Why no more pieces follow, unless there are none.
    private var failure: (any Error)?
    private var done: Int64 = 0

    init(_ files: [FolderContents.File], to path: String) throws(ArchiveError) {
        self.path = path
        self.files = files[...]
        do {
            writer = try ZipWriter(path: path)
        } catch {
            throw error.located(at: path)
        }
    }

    /// Runs once, to the end of the archive.
    ///
    /// - Parameters:
    ///   - threadCount: How many threads work; nil for one for each processor.
    ///   - progress: Called now and then, on the calling thread, with the bytes of the files that are packed.
    /// - Throws: ``/BundleArchive/ArchiveError``, ``/BundleModel/BundleError``, or `CancellationError`.
    func run(threadCount: Int?, _ progress: (Int64) -> Void) throws {
        let pipeline = threadCount.map { BatchPipeline(self, threadCount: $0) } ?? BatchPipeline(self)
        do {
            try pipeline.run(progress)
            if let failure { throw failure }
            progress(done)
            try Task.checkCancellation()
            try writer.finish()
        } catch let error as ArchiveError {
            throw error.located(at: path)
        }
    }

    func makeBatch() -> PackBatch { PackBatch() }

    func collect(_ batch: PackBatch) -> Bool {
        do {
            while failure == nil, let item = try next() {
                guard batch.hasRoom(for: item.piece) else {
                    waiting = item
                    break
                }
                batch.append(item)
            }
        } catch {
            failure = error
        }
        return !batch.items.isEmpty
    }

    func decode(_ batch: PackBatch) { batch.encode() }

    func consume(_ batch: PackBatch) throws -> Int64 {
        for (item, output) in zip(batch.items, batch.outputs) {
            try named(item.file) {
                try writer.append(output, name: item.file.path.string, byteCount: item.file.byteCount)
            }
        }
        if let failure = batch.failure { throw failure }
        done += Int64(batch.byteCount)
        return done
    }

    private func next() throws -> PackBatch.Item? {
        if let waiting {
            self.waiting = nil
            return waiting
        }
        while true {
            if let item = try nextPiece() { return item }
            guard let file = files.popFirst() else { return nil }
            reading = (try PackedFile(file), ZipPieces(byteCount: file.byteCount))
        }
    }

    /// The next piece of the file that is being read; nil at its end.
    private func nextPiece() throws -> PackBatch.Item? {
        guard let file = reading?.file, var pieces = reading?.pieces else { return nil }
        let piece = try named(file.file) { try pieces.next(file.read) }
        reading = piece == nil ? nil : (file, pieces)
        return piece.map { PackBatch.Item(file: file.file, piece: $0) }
    }

    /// Says which file an error concerns.
    private func named<Result>(_ file: FolderContents.File, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ArchiveError {
            throw error.concerning(file.path.string)
        }
    }
}

/// Consecutive pieces of files, before and after they are compressed. Batches are compressed concurrently, each by one thread
/// at a time, and reused.
final class PackBatch: PipelineBatch {
    /// A piece of a file.
    struct Item {
        let file: FolderContents.File
        let piece: ZipPiece
    }

    /// A batch is full at this number of pieces.
    private static let maximumItemCount = 128
    /// A batch is full at this number of bytes; a larger file has a batch of its own.
    private static let maximumByteCount = 512 << 10

    private(set) var items: [Item] = []
    private(set) var byteCount = 0
    private(set) var outputs: [ZipEncoder.Output] = []
    /// Why a piece couldn't be compressed; the ones before it were.
    private(set) var failure: ArchiveError?
    private let encoder = ZipEncoder()

    /// Whether it has room for a piece.
    func hasRoom(for piece: ZipPiece) -> Bool {
        items.isEmpty || items.count < Self.maximumItemCount && byteCount + piece.byteCount <= Self.maximumByteCount
    }

    func append(_ item: Item) {
        items.append(item)
        byteCount += item.piece.byteCount
    }

    /// Compresses all pieces, up to the first one that can't be compressed.
    func encode() {
        do {
            for item in items { outputs.append(try encoder.encode(item.piece)) }
        } catch {
            failure = error
        }
    }

    func removeAll() {
        items.removeAll(keepingCapacity: true)
        outputs.removeAll(keepingCapacity: true)
        byteCount = 0
        failure = nil
    }
}

/// A file of a folder, opened to be packed.
///
/// Not thread-safe.
final class PackedFile {
    let file: FolderContents.File
    private let handle: FileHandle?
    private var storedByteCount: Int64
    private var end: ArraySlice<UInt8>

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when it can't be opened.
    init(_ file: FolderContents.File) throws(BundleError) {
        self.file = file
        storedByteCount = file.storedByteCount
        end = file.end[...]
        handle = file.location.flatMap { FileHandle(forReadingAtPath: $0) }
        guard handle != nil || file.location == nil else {
            throw BundleError(
                .invalidArchive,
                "\(Printable.line(file.location ?? file.path.string)) can't be read; check its permissions"
            )
        }
    }

    deinit {
        try? handle?.close()
    }

    /// Reads the next bytes into the start of the buffer; returns their number, 0 at the end.
    ///
    /// - Throws: ``/BundleArchive/ArchiveError`` with code `unreadable` when the disk fails.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        if let handle, storedByteCount > 0 {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: storedByteCount)))
            let count = try ArchiveWriter.readUninterrupted(handle.fileDescriptor, into: room)
            storedByteCount -= Int64(count)
            return count
        }
        let part = end.prefix(buffer.count)
        buffer.copyBytes(from: part)
        end = end.dropFirst(part.count)
        return part.count
    }
}
