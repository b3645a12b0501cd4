/// SipHash-1-3 (Aumasson, Bernstein: “SipHash: a fast short-input PRF”, 2012), a hash with a secret key: without the
/// key an attacker can't choose inputs with equal hashes. The bytes may be added in pieces.
struct SipHash {
    /// The 128-bit key.
    struct Key: Equatable, Sendable {
        static let byteCount = 16

        let low: UInt64
        let high: UInt64

        static func random() -> Key {
            Key(low: .random(in: .min ... .max), high: .random(in: .min ... .max))
        }
    }

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    /// The bytes that don't fill a word yet, the first one lowest.
    private var pending: UInt64 = 0
    private var byteCount = 0

    init(_ key: Key) {
        v0 = key.low ^ 0x736F_6D65_7073_6575
        v1 = key.high ^ 0x646F_7261_6E64_6F6D
        v2 = key.low ^ 0x6C79_6765_6E65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    /// The hash of `bytes` alone.
    static func hash(_ bytes: UnsafeRawBufferPointer, _ key: Key) -> UInt64 {
        var hash = SipHash(key)
        hash.update(bytes)
        return hash.finalize()
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while byteCount & 7 != 0, offset < bytes.count {
            update(bytes[offset])
            offset += 1
        }
        while bytes.count - offset >= 8 {
            compress(bytes.littleEndian(at: offset))
            byteCount += 8
            offset += 8
        }
        while offset < bytes.count {
            update(bytes[offset])
            offset += 1
        }
    }

    func finalize() -> UInt64 {
        var state = self
        state.compress(pending | UInt64(truncatingIfNeeded: byteCount) << 56)
        state.v2 ^= 0xFF
        for _ in 0..<3 { state.round() }
        return state.v0 ^ state.v1 ^ state.v2 ^ state.v3
    }

    private mutating func update(_ byte: UInt8) {
        pending |= UInt64(byte) << UInt64(8 * (byteCount & 7))
        byteCount += 1
        guard byteCount & 7 == 0 else { return }
        compress(pending)
        pending = 0
    }

    @inline(__always)
    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    @inline(__always)
    private mutating func round() {
        v0 &+= v1
        v1 = v1 << 13 | v1 >> 51
        v1 ^= v0
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v3
        v3 = v3 << 16 | v3 >> 48
        v3 ^= v2
        v0 &+= v3
        v3 = v3 << 21 | v3 >> 43
        v3 ^= v0
        v2 &+= v1
        v1 = v1 << 17 | v1 >> 47
        v1 ^= v2
        v2 = v2 << 32 | v2 >> 32
    }
}
