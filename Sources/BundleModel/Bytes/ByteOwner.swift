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
