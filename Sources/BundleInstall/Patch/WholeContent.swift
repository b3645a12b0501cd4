import BundleStore

/// A release's listing and its contents in one piece, as patches are made of and applied to. It is in a
/// ``/BundleStore/ScratchFile``, so that it takes no memory that the system couldn't use otherwise.
///
/// Not thread-safe.
package final class WholeContent {
    /// ``/BundleStore/Release/filesDigest()``.
    package let filesDigest: Digest
    package let listingByteCount: Int
    private let memory: ScratchFile
    private let store: BundleStore

    /// Reads a release.
    ///
    /// - Parameters:
    ///   - release: The release.
    ///   - store: The store that has it.
    /// - Returns: Nil when it is longer than ``PatchLimits/maximumWholeByteCount``.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when a content can't be read, `storeUnavailable`
    ///   when the disk has no room; `CancellationError` when the task is cancelled.
    package init?(of release: Release, in store: BundleStore) throws {
        let files = PatchListing(of: release)
        let listing = files.encoded
        let byteCount = files.contentByteCount + listing.count
        guard byteCount <= PatchLimits.maximumWholeByteCount else { return nil }
        memory = try ScratchFile(byteCount: byteCount, in: store)
        self.store = store
        memory.bytes.copyBytes(from: listing)
        listingByteCount = listing.count
        filesDigest = release.filesDigest()
        var end = listing.count
        let reader = AssetReader(store)
        for (asset, file) in zip(release.assets, files.files) {
            guard case .own(let count) = file.content else { continue }
            try Task.checkCancellation()
            try reader.read(asset, into: UnsafeMutableRawBufferPointer(rebasing: memory.bytes[end..<end + count]))
            end += count
        }
    }

    /// The listing, then the contents, valid as long as the object lives.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory.bytes) }

    /// Copies of some ranges, one after the other.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the disk has no room.
    package func gather(_ ranges: [Range<Int>]) throws -> ScratchFile {
        let gathered = try ScratchFile(byteCount: ranges.reduce(0) { $0 + $1.count }, in: store)
        var end = 0
        for range in ranges {
            UnsafeMutableRawBufferPointer(rebasing: gathered.bytes[end...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
            end += range.count
        }
        return gathered
    }
}

extension PatchListing {
    /// The length of all contents together in bytes.
    fileprivate var contentByteCount: Int {
        files.reduce(0) { sum, file in
            guard case .own(let byteCount) = file.content else { return sum }
            return sum.addingReportingOverflow(byteCount).partialValue
        }
    }
}
