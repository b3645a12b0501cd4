import BundleArchive
import BundleStore

/// Consecutive entries of an archive, and the contents of those that are files. Batches are decoded and hashed
/// concurrently, each by one thread at a time, and reused.
final class ContentBatch: PipelineBatch {
    /// The action for an entry after it has been read.
    enum Action {
        case addFile(BundlePath)
        case addFolder(BundlePath)
        case addLink(BundlePath, target: String, ReleaseIngest.LinkKind)
        /// A file that is read only to verify it.
        case leaveOut
        /// A part of a file that is too large for a batch; the path comes with the last part.
        case addPart(endingFile: BundlePath?)
        /// A part of a file that is read only to verify it.
        case leaveOutPart(isLast: Bool)

        /// The action for one part of a file whose action is this.
        func forPart(isLast: Bool) -> Action {
            if case .addFile(let path) = self { return .addPart(endingFile: isLast ? path : nil) }
            return .leaveOutPart(isLast: isLast)
        }
    }

    struct Item {
        let action: Action
        /// The range of the content in the batch's bytes.
        let range: Range<Int>
        /// The content to decode; nil when the bytes have been read.
        let deferred: DeferredContent?
        fileprivate(set) var digest: Digest?
    }

    /// A batch is full at this number of entries.
    static let maximumItemCount = 128
    /// A batch is full at this number of bytes; a larger file gets a batch of its own.
    static let maximumByteCount = 1 << 19

    private(set) var items: [Item] = []
    private(set) var byteCount = 0
    /// The compressed bytes that are held until they are decoded; they may decode to no bytes.
    private var heldByteCount = 0
    /// The position in the archive when the batch was filled, in bytes.
    var archivePosition: Int64 = 0
    /// Why an entry couldn't be decoded: the first file without a digest.
    private(set) var failure: (any Error)?
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private let decoder = ZipDecoder()

    deinit {
        memory.deallocate()
    }

    /// Whether the batch has room for a file of this size.
    func hasRoom(for byteCount: Int) -> Bool {
        items.isEmpty
            || items.count < Self.maximumItemCount && heldByteCount < Self.maximumByteCount
                && self.byteCount + byteCount <= Self.maximumByteCount
    }

    /// Adds an entry without content.
    func append(_ action: Action) {
        items.append(Item(action: action, range: byteCount..<byteCount, deferred: nil))
    }

    /// Adds a file that is to be decoded.
    func append(_ action: Action, _ content: DeferredContent) {
        items.append(Item(action: action, range: reserve(content.byteCount), deferred: content))
        heldByteCount += content.heldByteCount
    }

    /// Adds a file. `read` fills the memory passed to it, which has exactly `byteCount` bytes.
    func append(
        _ action: Action,
        byteCount: Int,
        read: (UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows {
        let range = reserve(byteCount)
        makeMemory()
        try read(UnsafeMutableRawBufferPointer(rebasing: memory[range]))
        items.append(Item(action: action, range: range, deferred: nil))
    }

    /// Decodes and hashes every file, up to the first one that can't be decoded.
    func decode() {
        makeMemory()
        do {
            for index in items.indices {
                switch items[index].action {
                case .addFolder, .addLink, .addPart, .leaveOutPart: continue
                case .addFile, .leaveOut: try decode(&items[index])
                }
            }
        } catch {
            failure = error
        }
    }

    /// The content of one of the batch's items, valid until ``removeAll()``.
    func bytes(of item: Item) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[item.range])
    }

    /// Empties the batch for reuse.
    func removeAll() {
        items.removeAll(keepingCapacity: true)
        byteCount = 0
        heldByteCount = 0
        failure = nil
        guard memory.count > Self.maximumByteCount else { return }
        memory.deallocate()
        memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    private func decode(_ item: inout Item) throws {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: memory[item.range])
        try item.deferred?.decode(into: bytes, using: decoder)
        if case .addFile = item.action { item.digest = Digest(of: UnsafeRawBufferPointer(bytes)) }
    }

    private func reserve(_ count: Int) -> Range<Int> {
        let start = byteCount
        byteCount += count
        return start..<byteCount
    }

    /// Only a file with a batch of its own exceeds the usual memory, so nothing has to be moved.
    private func makeMemory() {
        guard memory.count < max(byteCount, 1) else { return }
        memory.deallocate()
        memory = .allocate(byteCount: max(byteCount, Self.maximumByteCount), alignment: 16)
    }
}
