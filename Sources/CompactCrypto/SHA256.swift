import CCompactDigest
public import CompactFoundation

/// SHA-256 (FIPS 180-4), as far as the store needs it. A value type.
public struct SHA256: Sendable {
    /// A digest's 32 bytes.
    public struct Digest: Sendable {
        private let bytes: [UInt8]

        fileprivate init(_ state: [UInt32]) {
            bytes = state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
        }

        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try bytes.withUnsafeBytes(body)
        }

        public func prefix(_ count: Int) -> ArraySlice<UInt8> { bytes.prefix(count) }
    }

    private static let blockByteCount = 64

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// The bytes of a block that isn't complete.
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0

    public init() {}

    public static func hash(data: some DataProtocol) -> Digest {
        var hasher = SHA256()
        hasher.update(data: data)
        return hasher.finalize()
    }

    public mutating func update(data: some DataProtocol) {
        let isDone: Void? = data.withContiguousStorageIfAvailable { update(bufferPointer: UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(data).withUnsafeBytes { update(bufferPointer: $0) } }
    }

    public mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
        byteCount &+= UInt64(bytes.count)
        var bytes = bytes
        if !rest.isEmpty {
            let count = min(Self.blockByteCount - rest.count, bytes.count)
            rest += bytes.prefix(count)
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))
            guard rest.count == Self.blockByteCount else { return }
            rest.withUnsafeBytes { compact_digest_blocks(&state, $0.baseAddress, 1) }
            rest.removeAll(keepingCapacity: true)
        }
        let blockCount = bytes.count / Self.blockByteCount
        if blockCount > 0 { compact_digest_blocks(&state, bytes.baseAddress, blockCount) }
        rest += bytes.dropFirst(blockCount * Self.blockByteCount)
    }

    public func finalize() -> Digest {
        var hasher = self
        var end: [UInt8] = [0x80]
        // The length in bits fills the last eight bytes of a block.
        let length = (rest.count + 1) % Self.blockByteCount
        end += [UInt8](repeating: 0, count: (Self.blockByteCount + 56 - length) % Self.blockByteCount)
        end += (0..<8).map { UInt8(truncatingIfNeeded: (byteCount &* 8) >> (56 - 8 * UInt64($0))) }
        end.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        return Digest(hasher.state)
    }
}
