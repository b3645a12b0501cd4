import BundleServing
import BundleStore

/// A resolver over a sample store, with URLs to ask it for. Every file has been read once, so that no first read is
/// measured.
///
/// `@unchecked Sendable`: only the benchmark that it belongs to uses it, one call after the other.
final class ResolveSample: Sample, @unchecked Sendable {
    private static let batchCount = 1_000

    let resolver: ResourceResolver
    private let store: SampleStore
    private let urls: [String]
    private var position = 0

    /// - Parameter isHot: Whether the same thousand files are asked for again and again; else 64,000 from all over the
    ///   store are, one after the other.
    init(_ store: SampleStore, isHot: Bool) throws {
        self.store = store
        resolver = ResourceResolver(try store.open().snapshot)
        urls = store.urls(isHot ? Self.batchCount : 64 * Self.batchCount)
        for url in urls where resolver.resolve(url) == nil {
            throw BundleError(.invalidArgument, "\(url) isn't found")
        }
    }

    /// The next thousand URLs.
    func nextBatch() -> ArraySlice<String> {
        if position == urls.count { position = 0 }
        position += Self.batchCount
        return urls[position - Self.batchCount..<position]
    }

    func remove() { store.remove() }
}
