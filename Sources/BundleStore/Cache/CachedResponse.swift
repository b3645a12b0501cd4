import Foundation

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
