import SystemPackage

@testable import BundleStore

private let identifier = FileIdentifier(value: 1)
private let file = FuzzFile(folder: "indexes", name: identifier.name + StoreLayout.indexSuffix)
private let layout = StoreLayout(root: FilePath(file.path).removingLastComponent().removingLastComponent())

/// An index that opens can be iterated and queried, whatever its contents; an intact one finds each of its own entries.
enum IndexInput {
    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        file.write(bytes)
        guard let index = try? VersionIndex(identifier, in: layout) else { return false }
        _ = index.find(path: bytes)
        let isIntact = index.isIntact()
        for number in 0..<min(index.count, 1_000) {
            guard let entry = index.entry(number) else { continue }
            _ = index.find(digest: entry.digest)
            guard let name = index.name(of: entry) else { continue }
            let found = index.find(path: name)
            // libFuzzer can't guess a SHA-256, so an intact index was made by the writer.
            precondition(!isIntact || found?.digest == entry.digest, "an entry isn't found by its own name")
        }
        return true
    }
}
