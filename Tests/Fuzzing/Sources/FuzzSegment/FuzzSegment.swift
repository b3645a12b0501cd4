import FuzzSupport
import SystemPackage

@testable import BundleStore

private let identifier = FileIdentifier(value: 1)
private let file = ScratchFile(folder: "segments", name: identifier.name + StoreLayout.segmentSuffix)
private let layout = StoreLayout(root: FilePath(file.path).removingLastComponent().removingLastComponent())

/// A segment that opens gives only slices inside itself, whatever range is asked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSegment(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    file.write(bytes)
    guard let segment = try? Segment(identifier, in: layout) else { return 0 }
    precondition(segment.byteCount == count, "a segment of another size was opened")
    // The input's end says what is asked for.
    let numbers = bytes.suffix(16)
    guard numbers.count == 16 else { return 0 }
    let lower = Int(truncatingIfNeeded: numbers.loadUnaligned(fromByteOffset: numbers.startIndex, as: Int64.self))
    let upper = Int(truncatingIfNeeded: numbers.loadUnaligned(fromByteOffset: numbers.startIndex + 8, as: Int64.self))
    guard lower <= upper, let slice = segment.slice(lower..<upper) else { return 0 }
    precondition(slice.array.elementsEqual(bytes[lower..<upper]), "a slice has other bytes")
    return 0
}
