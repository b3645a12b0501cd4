import BundleServing
import BundleStore

/// What a benchmark works on.
protocol Sample: Sendable {
    func remove()
}

/// Where a benchmark's sample is between its set-up and its end.
///
/// `@unchecked Sendable`: the benchmark library calls set-up, measurement and end one after the other.
final class SampleSlot<Value: Sample>: @unchecked Sendable {
    var value: Value?
}

/// A store to be opened.
struct OpenSample: Sample {
    let store: SampleStore
    let opened: BundleStore
    let snapshot: StoreSnapshot
    let url: String

    init(_ store: SampleStore) throws {
        self.store = store
        opened = try store.open()
        snapshot = opened.snapshot
        url = store.urls(1)[0]
    }

    func remove() { store.remove() }
}

/// A release, and the paths of a thousand of its files.
struct FindSample: Sample {
    private let store: SampleStore
    let release: Release
    let paths: [[UInt8]]

    init(_ store: SampleStore) throws {
        self.store = store
        guard let release = try store.open().snapshot.sortedBundles.first?.active else {
            throw BundleError(.invalidArgument, "the sample store has no active release")
        }
        self.release = release
        paths = store.files(1_000).map { Array($0.utf8) }
    }

    func remove() { store.remove() }
}

/// Bytes to be hashed.
struct DigestSample: Sample {
    let content = [UInt8](repeating: 0x5A, count: 64 << 20)

    func remove() {}
}
