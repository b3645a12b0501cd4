import SystemPackage

@testable import BundleStore

private let identifier = FileIdentifier(value: 1)
private let file = FuzzFile(folder: "segments", name: identifier.name + StoreLayout.segmentSuffix)
private let layout = StoreLayout(root: FilePath(file.path).removingLastComponent().removingLastComponent())

/// A segment that opens returns only slices inside itself, for any range.
enum SegmentInput {
    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        file.write(bytes)
        guard let segment = try? Segment(identifier, in: layout) else { return false }
        precondition(segment.byteCount == bytes.count, "a segment of another size was opened")
        // The end of the input selects the range.
        let numbers = bytes.suffix(16)
        guard numbers.count == 16 else { return true }
        let lower = Int(truncatingIfNeeded: numbers.loadUnaligned(fromByteOffset: 0, as: Int64.self))
        let upper = Int(
            truncatingIfNeeded: numbers.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        )
        guard lower <= upper, let slice = segment.slice(lower..<upper) else { return true }
        precondition(slice.array.elementsEqual(bytes[lower..<upper]), "a slice has other bytes")
        return true
    }
}
