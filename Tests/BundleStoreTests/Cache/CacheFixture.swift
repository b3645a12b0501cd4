import BundleTesting
import Foundation

@testable import BundleStore

/// A store with a bundle under which responses are kept.
protocol CacheFixture {}

extension CacheFixture {
    func withShop(_ body: (BundleStore, TemporaryDirectory, TestClock) throws -> Void) async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, directory in
            try store.install("1.0.0")
            try body(store, directory, clock)
        }
    }

    @discardableResult
    func keep(
        _ body: [UInt8],
        in store: BundleStore,
        url: String = CachedSample.url,
        of bundle: String = "shop",
        version text: String = "1.0.0",
        variant: Int64 = 0
    ) throws -> Bool {
        try store.cache(body, url: url, of: name(bundle), version(text), digest: variant)
    }
}

enum CachedSample {
    static let url = "https://m.example.com/shop/api"
    /// A body that is kept in a file.
    static let long = [UInt8](repeating: 3, count: CachedBodyWriter.memoryByteCount + 1)
}

extension ByteSlice {
    /// For comparing large bodies: a failed comparison of arrays searches for their differences for minutes.
    var digest: Digest { withUnsafeBytes { Digest(of: $0) } }
}
