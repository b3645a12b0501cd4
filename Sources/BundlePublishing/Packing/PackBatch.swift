import BundleArchive
import BundleInstall

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
