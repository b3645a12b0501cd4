import BundleArchive
import BundleStore

@testable import BundleInstall

/// A patch without its compression: the header, the length of the instructions in two bytes, the instructions, and the
/// listing. What is accepted makes up the whole of the new release, from ranges inside of the old one.
enum PatchInput {
    private static let oldByteCount = 1 << 16

    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = PatchHeader.byteCount + 2
        guard let header = PatchHeader(startOf: bytes), bytes.count >= start,
            header.listingByteCount <= header.wholeByteCount,
            header.wholeByteCount <= PatchLimits.maximumWholeByteCount
        else { return false }
        let end = start + Int(bytes[start - 2]) + Int(bytes[start - 1]) << 8
        guard end <= bytes.count,
            areTaken(Array(bytes[start..<end]), newByteCount: Int(header.wholeByteCount)),
            let listing = try? PatchListing(
                parsing: UnsafeRawBufferPointer(rebasing: bytes[end...]),
                contentByteCount: Int(header.wholeByteCount - header.listingByteCount),
                limits: ArchiveLimits()
            )
        else { return false }
        precondition(listing.encoded.elementsEqual(bytes[end...]), "a listing isn't what it is written as")
        return true
    }

    private static func areTaken(_ bytes: [UInt8], newByteCount: Int) -> Bool {
        guard
            let instructions = PatchInstructions(
                parsing: bytes,
                oldByteCount: oldByteCount,
                newByteCount: newByteCount
            )
        else { return false }
        let added = instructions.added(ofByteCount: newByteCount)
        let rest = instructions.rest(ofByteCount: oldByteCount)
        precondition(byteCount(added) + instructions.copiedByteCount == newByteCount, "the new release has other bytes")
        precondition(added.last.map { $0.upperBound <= newByteCount } ?? true, "a range is outside of the new release")
        precondition(byteCount(rest) <= oldByteCount, "the rest of the old release is longer than all of it")
        for range in instructions.copies.map(\.range) {
            precondition(range.lowerBound >= 0 && range.upperBound <= oldByteCount, "a copy from outside")
            precondition(rest.allSatisfy { !$0.overlaps(range) }, "what is copied is left, too")
        }
        return true
    }

    private static func byteCount(_ ranges: [Range<Int>]) -> Int { ranges.reduce(0) { $0 + $1.count } }
}
