import BundleStore

/// The result of `cache clear`.
struct CacheRemoval: Report {
    let count: Int
    let byteCount: Int64

    var lines: [String] {
        [
            count == 0
                ? "the cache was empty" : "removed \(Quantity.text(count, "response")), \(ByteCount.text(byteCount))"
        ]
    }
}
