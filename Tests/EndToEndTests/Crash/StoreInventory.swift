import BundleStore
import Foundation

/// The files of a store after everything unreferenced has been removed. Two stores with the same state and the same
/// history have the same number of files of the same sizes: one that has more has kept an orphan.
struct StoreInventory: Hashable {
    /// Folder and size of each file, sorted: the names are random.
    let files: [String]

    /// Prunes the store without removing a version, and lists what is left.
    init(pruning path: String) throws {
        // A program that another test starts at this moment has a copy of every descriptor, including the lock that
        // opening the store took, until its exec.
        _ = try BundleStore(at: path).prune(keeping: .max, waits: true)
        // The locks are empty and stay; the size of the catalog depends on its history.
        let names = try FileManager.default.subpathsOfDirectory(atPath: path).filter {
            !$0.hasPrefix("locks/") && !$0.hasPrefix("catalog.sqlite")
        }
        files = try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            guard attributes[.type] as? FileAttributeType == .typeRegular else { return name }
            let folder = name.split(separator: "/").dropLast().joined(separator: "/")
            return "\(folder)/ \(attributes[.size] ?? "") bytes"
        }.sorted()
    }

    /// The files that only one of the two has.
    func differences(from other: StoreInventory) -> [String] {
        files.difference(from: other.files).map { change in
            switch change {
            case .insert(_, let file, _): "+ \(file)"
            case .remove(_, let file, _): "- \(file)"
            }
        }
    }
}
