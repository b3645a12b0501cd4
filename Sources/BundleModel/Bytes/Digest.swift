import Crypto
import Foundation

/// A SHA-256 digest (FIPS 180-4), 32 bytes. A value type; safe to share between threads.
public struct Digest: Hashable, Sendable {
    /// The number of bytes of a SHA-256 digest.
    public static let byteCount = 32

    // Four words instead of an array: comparing and hashing need no heap access.
    @usableFromInline
    let words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes `bytes`.
    public init(of bytes: some DataProtocol) {
        self.init(SHA256.hash(data: bytes))
    }

    /// Hashes the memory that `bytes` points to.
    public init(of bytes: UnsafeRawBufferPointer) {
        var hasher = SHA256()
        hasher.update(bufferPointer: bytes)
        self.init(hasher.finalize())
    }

    /// Creates a digest from the hasher's result.
    public init(_ digest: SHA256.Digest) {
        self = digest.withUnsafeBytes { Digest(unchecked: $0) }
    }

    /// Reads 32 raw bytes. Returns nil when `bytes` has another length.
    public init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Digest.byteCount else { return nil }
        self.init(unchecked: bytes)
    }

    /// Reads 64 hexadecimal digits of either case. Returns nil for anything else.
    public init?(hex: some StringProtocol) {
        guard hex.utf8.count == 2 * Digest.byteCount, let bytes = Hexadecimal.bytes(of: hex) else { return nil }
        self = bytes.withUnsafeBytes { Digest(unchecked: $0) }
    }

    /// Reads 32 raw bytes. The caller must have checked that they exist.
    @inlinable
    package init(unchecked bytes: UnsafeRawBufferPointer) {
        words = (
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String {
        withUnsafeBytes { Hexadecimal.string(of: $0) }
    }

    /// Provides the 32 raw bytes for the duration of `body`.
    @inlinable
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: words, body)
    }

    /// Whether all 32 bytes are equal.
    @inlinable
    public static func == (left: Digest, right: Digest) -> Bool {
        left.words == right.words
    }

    /// Hashes the whole digest.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        // One word isn't enough: a document from outside may claim any digests, so as to fill one bucket.
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension Digest: Encodable {
    /// Writes ``hex``.
    public func encode(to encoder: any Encoder) throws { try hex.encode(to: encoder) }
}

extension Digest: CustomStringConvertible {
    /// The same as ``hex``.
    public var description: String { hex }
}
