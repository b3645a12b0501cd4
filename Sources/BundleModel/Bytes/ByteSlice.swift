import Foundation

/// A read-only range of bytes, usually a part of a memory-mapped file. Copying a slice copies no bytes; the memory
/// stays valid as long as any slice of it lives, even when the file is deleted meanwhile.
///
/// Immutable; safe to share between threads.
public struct ByteSlice: Sendable {
    private let owner: any ByteOwner
    private let range: Range<Int>

    /// Creates a slice of `owner`. Returns nil when the range exceeds it.
    package init?(of owner: any ByteOwner, range: Range<Int>) {
        guard range.lowerBound >= 0, range.upperBound <= owner.bytes.count else { return nil }
        self.owner = owner
        self.range = range
    }

    /// Covers all of `owner`.
    package init(of owner: any ByteOwner) {
        self.init(owner: owner, range: 0..<owner.bytes.count)
    }

    /// Copies `bytes` into memory owned by the slice.
    public init(copying bytes: some Collection<UInt8>) {
        let memory = OwnedMemory(copying: bytes)
        owner = memory
        range = 0..<memory.bytes.count
    }

    /// The number of bytes.
    public var count: Int { range.count }

    /// Provides the bytes for the duration of `body`, without copying.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner) {
            try body(UnsafeRawBufferPointer(rebasing: owner.bytes[range]))
        }
    }

    /// A file with these bytes, and their offset in it; nil when they are in no file, or it can't be opened. The
    /// descriptor stays open as long as the slice lives. Use it with `sendfile` and other calls that don't move its
    /// position.
    public var file: (descriptor: Int32, offset: Int)? {
        owner.descriptor.map { ($0, range.lowerBound) }
    }

    /// Whether some of the file's bytes could not be read, because it was truncated or the disk failed, and appear as
    /// zeros. Check it after using the bytes, and before relying on the result. Always false unless the store was
    /// opened with `survivesFaults`; without that, such a read ends the process.
    public var hasFaulted: Bool { owner.hasFaulted }

    /// Whether the file was written to or truncated since it was opened. Queries the file system.
    package var hasChanged: Bool { owner.hasChanged }

    /// A part of this slice. `bounds` is relative to the slice and clamped to its length.
    public subscript(bounds: Range<Int>) -> ByteSlice {
        let part = bounds.clamped(to: 0..<count)
        return ByteSlice(owner: owner, range: range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound)
    }

    /// A copy of the bytes.
    public var array: [UInt8] { withUnsafeBytes(Array.init) }

    /// A copy of the bytes as `Data`. A copy, because `Data` lets its only owner change the bytes in place, and those of a file can't be.
    public var data: Data { withUnsafeBytes { Data($0) } }

    private init(owner: any ByteOwner, range: Range<Int>) {
        self.owner = owner
        self.range = range
    }
}

/// Memory that stays in place, unchanged, as long as the object lives.
package protocol ByteOwner: AnyObject, Sendable {
    var bytes: UnsafeRawBufferPointer { get }
    /// A file with the same bytes at the same offsets, open as long as the object lives; nil when there is none.
    var descriptor: Int32? { get }
    /// Whether some of the bytes could not be read and appear as zeros.
    var hasFaulted: Bool { get }
    /// Whether they may have changed since they were first read.
    var hasChanged: Bool { get }
}

extension ByteOwner {
    package var descriptor: Int32? { nil }
    package var hasFaulted: Bool { false }
    package var hasChanged: Bool { false }
}

/// Heap memory for bytes that don't come from a file.
///
/// `@unchecked Sendable`: written once in the initialiser, before any other thread can see it.
final class OwnedMemory: ByteOwner, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(copying source: some Collection<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
        memory.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit {
        bytes.deallocate()
    }
}
