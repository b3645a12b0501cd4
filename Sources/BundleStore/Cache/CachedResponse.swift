import Foundation

import struct Crypto.SHA256

/// A cached response from the network, with the bundle and version it was fetched under.
///
/// Immutable; safe to share between threads.
package struct CachedResponse: Sendable {
    /// The row's number in the catalog.
    package let id: Int64
    /// The requested URL.
    package let url: String
    /// The bundle.
    package let bundle: BundleName
    /// The version that was active when it was fetched.
    package let version: BundleVersion
    /// The names of the request fields that select it, and the digest of their values.
    package let selection: CachedSelection
    /// What the cache keeps beside the body; opaque to the store.
    package let metadata: [UInt8]
    /// What is stored of its body.
    package let parts: CachedPartList
    /// The number of bytes that are stored of its body.
    package let byteCount: Int64
    /// When it was stored.
    package let storedAt: Date
    /// Where the bytes of its parts are, nil for those that are gone; nil when they weren't read with it.
    var bodies: [CachedBytes?]?
}

/// What is stored under a key. A value type; safe to share between threads.
package struct CachedVariants: Sendable {
    /// How many variants are stored under one key. The oldest go.
    package static let maximumCount = 32

    /// Which variants there are, the oldest first. At most 32.
    package let selections: [(id: Int64, selection: CachedSelection)]
    /// Those of them that were asked for and are intact, with their bodies.
    package let selected: [CachedResponse]
}

/// Which requests a variant is for (RFC 9111 §4.1).
package struct CachedSelection: Hashable, Sendable {
    /// The names of the request fields that select it; opaque to the store.
    package let selectors: String
    /// A digest of the values that they had.
    package let digest: Int64
    /// The digest of other values that select it too, if there are any.
    package let alternative: Int64?

    package init(selectors: String, digest: Int64, alternative: Int64? = nil) {
        self.selectors = selectors
        self.digest = digest
        self.alternative = alternative
    }

    /// Whether a request selects the variant.
    ///
    /// - Parameter digests: The digests of the request's values of the selectors.
    package func matches(_ digests: [Int64]) -> Bool {
        digests.contains(digest) || alternative.map { digests.contains($0) } ?? false
    }
}

/// A response to be stored. A value type; safe to share between threads.
package struct NewCachedResponse: Sendable {
    let url: String
    let bundle: BundleName
    let version: BundleVersion
    let activation: Int64?
    let key: CachedKey
    let selection: CachedSelection
    let metadata: [UInt8]
    let parts: CachedPartList
    let bodies: [CachedBody]
    /// The digests of the request's values of the selectors that another variant has.
    let digests: @Sendable (_ selectors: String) -> [Int64]

    /// - Parameters:
    ///   - url: The requested URL.
    ///   - key: The cache key.
    ///   - bundle: The bundle.
    ///   - version: The version that was active when the request was made.
    ///   - activation: The number of the activation that it was active by: later the response isn't kept, also when the
    ///     version is active again. Nil for any.
    ///   - selection: Which requests it is for.
    ///   - metadata: What the cache needs to know of the response later.
    ///   - parts: What is stored of its body.
    ///   - bodies: The bytes of the parts.
    ///   - digests: The digests of the request's values of the selectors that another variant has: variants that the
    ///     request selects are replaced.
    package init(
        url: String,
        key: CachedKey,
        bundle: BundleName,
        version: BundleVersion,
        activation: Int64? = nil,
        selection: CachedSelection,
        metadata: [UInt8],
        parts: CachedPartList,
        bodies: [CachedBody],
        digests: @escaping @Sendable (_ selectors: String) -> [Int64]
    ) {
        self.url = url
        self.key = key
        self.bundle = bundle
        self.version = version
        self.activation = activation
        self.selection = selection
        self.metadata = metadata
        self.parts = parts
        self.bodies = bodies
        self.digests = digests
    }
}

/// Identifies what is stored under a cache key for one version of a bundle: the first 16 bytes of a SHA-256.
package struct CachedKey: Hashable, Sendable {
    private static let byteCount = 16

    let bytes: Data

    /// - Parameter key: The cache key, usually the URL.
    package init(_ key: String, bundle: BundleName, version: BundleVersion) {
        var hasher = SHA256()
        // Neither a name nor a version has a zero byte.
        hasher.update(data: Data("\(bundle.string)\0\(version.string)\0\(key)".utf8))
        bytes = Data(hasher.finalize().prefix(Self.byteCount))
    }
}

/// A range of a representation that is stored.
package struct CachedPart: Hashable, Sendable {
    /// The most parts that one response may have: one less than there are numbers, so that there is one for a new part.
    package static let maximumCount = 127

    /// Distinguishes the parts of a response; at most ``maximumCount``.
    let number: UInt8
    /// The position of its first byte in the representation; 0 or more.
    package let offset: Int64
    /// Its length in bytes; 0 or more.
    package let byteCount: Int64
    let digest: Digest
}

/// What is stored of a representation.
package struct CachedPartList: Hashable, Sendable {
    /// The length of the whole representation in bytes; nil when it isn't known.
    package let completeLength: Int64?
    /// In the order in which they were stored.
    package let parts: [CachedPart]

    /// The sum of the lengths.
    var byteCount: Int64 { parts.reduce(0) { $0 + $1.byteCount } }

    /// Whether it is the whole representation in one piece.
    package var isWhole: Bool { parts.count == 1 && parts[0].offset == 0 && parts[0].byteCount == completeLength }

    /// - Parameters:
    ///   - parts: Up to ``CachedPart/maximumCount``.
    ///   - completeLength: The length of the whole representation in bytes; nil when it isn't known.
    package init(_ parts: [CachedPart], of completeLength: Int64?) {
        self.parts = parts
        self.completeLength = completeLength
    }

    /// A part to be added to these.
    package func part(at offset: Int64, _ body: CachedBody) -> CachedPart {
        let numbers = Set(parts.map(\.number))
        return CachedPart(
            number: (0...UInt8(CachedPart.maximumCount)).first { !numbers.contains($0) } ?? 0,
            offset: offset,
            byteCount: Int64(body.content.count),
            digest: body.digest
        )
    }
}

/// Parts that are added to a response, and the list of all that are kept then.
package struct CachedPartChange: Sendable {
    let list: CachedPartList
    let added: [(part: CachedPart, body: CachedBody)]

    package init(_ list: CachedPartList, adding added: [(part: CachedPart, body: CachedBody)]) {
        self.list = list
        self.added = added
    }
}

extension CachedPartList {
    /// Number, offset, length, digest.
    private static let partByteCount = 1 + 8 + 8 + Digest.byteCount
    private static let maximumByteCount: Int64 = 1 << 40
    private static let unknown: Int64 = -1

    /// As a column of the catalog.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(completeLength ?? Self.unknown)
        for part in parts {
            bytes.append(part.number)
            bytes.appendLittleEndian(part.offset)
            bytes.appendLittleEndian(part.byteCount)
            part.digest.withUnsafeBytes { bytes += $0 }
        }
        return bytes
    }

    /// Nil when the bytes aren't what ``encoded`` writes.
    init?(encoded bytes: UnsafeRawBufferPointer) {
        guard let length = bytes.littleEndian(Int64.self, at: 0), (-1...Self.maximumByteCount).contains(length),
            case let rest = bytes.count - 8, rest % Self.partByteCount == 0,
            case let count = rest / Self.partByteCount, (1...CachedPart.maximumCount).contains(count)
        else { return nil }
        let parts = (0..<count).compactMap { Self.part(at: 8 + $0 * Self.partByteCount, of: bytes) }
        guard parts.count == count, Set(parts.map(\.number)).count == count else { return nil }
        self.init(parts, of: length == Self.unknown ? nil : length)
    }

    private static func part(at start: Int, of bytes: UnsafeRawBufferPointer) -> CachedPart? {
        let digest = UnsafeRawBufferPointer(rebasing: bytes[(start + 17)..<(start + partByteCount)])
        let part = CachedPart(
            number: bytes[start],
            offset: bytes.littleEndian(at: start + 1),
            byteCount: bytes.littleEndian(at: start + 9),
            digest: Digest(unchecked: digest)
        )
        let bounds = 0...maximumByteCount
        let isValid =
            part.number <= CachedPart.maximumCount && bounds.contains(part.offset) && bounds.contains(part.byteCount)
        return isValid ? part : nil
    }
}

extension CachedResponse {
    /// The damage report for a response whose body doesn't match its digest.
    var damage: StoreDamage {
        StoreDamage(
            bundle: bundle,
            version: version,
            "\(label) isn't what was stored, and is fetched again when it is asked for",
            .repair(.response)
        )
    }

    /// A readable name for messages.
    var label: String { "the response kept for \(Printable.text(url))" }
}
