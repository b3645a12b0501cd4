import Foundation

import struct Crypto.SHA256

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
