import BundleStore
import Foundation
import SystemPackage

/// A store in the system's temporary folder that stands for another one, to see what an operation would do there: it has a
/// copy of the catalog, and links to the other store's files, which it doesn't change. It is removed with this value, and
/// when the program is interrupted. Nothing may use the store after that.
struct RehearsalStore: ~Copyable {
    /// The store.
    let store: BundleStore
    private let folder: ScratchFolder
    private let original: String

    /// - Parameters:
    ///   - path: The store that it stands for.
    ///   - creating: Whether the operation makes a store where there is none.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when that can't be read or made, or the temporary
    ///   folder can't be written.
    init(of path: String, creating: Bool) throws {
        let folder = try ScratchFolder()
        do {
            store = try Self.open(path, as: folder.path, creating: creating)
        } catch {
            throw Self.renamed(error, folder.path, path)
        }
        self.folder = folder
        original = path
    }

    private static func open(_ path: String, as copy: String, creating: Bool) throws -> BundleStore {
        let layout = StoreLayout(root: FilePath(copy))
        if try StoreOpening.copyCatalog(of: path, creating: creating, to: layout.catalog) {
            try StoreAccess.run(at: path) { try imitate(StoreLayout(root: FilePath(path)), in: layout) }
        }
        return try BundleStore(at: copy, creating: true, survivesFaults: true)
    }

    /// The error as the other store would have thrown it.
    func original(_ error: any Error) -> any Error { Self.renamed(error, folder.path, original) }

    private static func renamed(_ error: any Error, _ folder: String, _ path: String) -> any Error {
        guard let error = error as? BundleError else { return error }
        let problem = error.problem.replacing(folder, with: path)
        return BundleError(error.code, problem, error.remedy, cause: error.cause)
    }

    private static func imitate(_ original: StoreLayout, in copy: StoreLayout) throws {
        try Durable.makeFolders(copy.folders, in: copy.root)
        for (from, to) in [
            (original.segments, copy.segments), (original.indexes, copy.indexes), (original.cache, copy.cache),
        ] {
            try forEachFile(in: from) { name in
                try FileManager.default.createSymbolicLink(
                    atPath: to.appending(name).string,
                    withDestinationPath: URL(fileURLWithPath: from.appending(name).string).path
                )
            }
        }
        for (from, to) in [(original.downloads, copy.downloads), (original.incoming, copy.incoming)] {
            try forEachFile(in: from) { try imitate(from.appending($0), at: to.appending($0)) }
        }
    }

    private static func forEachFile(in folder: FilePath, _ body: (String) throws -> Void) throws {
        guard try StoreFolder.exists(folder) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.string) { try body(name) }
    }

    /// Of what is written or downloaded only the size and the age count, and links among it aren't followed.
    private static func imitate(_ file: FilePath, at place: FilePath) throws {
        guard let status = try? file.stat(followTargetSymlink: false), status.type == .regular else { return }
        let copy = try FileDescriptor.open(
            place,
            .writeOnly,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite
        )
        try copy.closeAfter { try copy.resize(to: Int64(status.size)) }
        let modifiedAt = Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
        try FileManager.default.setAttributes([.modificationDate: modifiedAt], ofItemAtPath: place.string)
    }
}
