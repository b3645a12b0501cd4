import BundleTesting
import Foundation
import SystemPackage
import Testing

@testable import BundleStore

@Suite("Owner and mode of new files")
struct FileOwnerTests {
    private static let permissions: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
    private static let service: (user: uid_t, group: gid_t) = (65_534, 65_533)

    @Test(
        "the mode is the folder's, as far as it is permitted",
        arguments: [
            (0o755, 0o644, 0o755), (0o750, 0o640, 0o750), (0o700, 0o600, 0o700), (0o711, 0o600, 0o711),
            (0o777, 0o644, 0o755), (0o2750, 0o640, 0o2750),
        ] as [(mode_t, mode_t, mode_t)]
    )
    func mode(_ folder: mode_t, _ file: mode_t, _ inner: mode_t) async throws {
        try await withTemporaryDirectory { directory in
            #expect(chmod(directory.path, folder) == 0)
            try Self.make(in: directory.path)
            #expect(try Self.status(directory.path(of: "file")).permissions.rawValue == file)
            #expect(try Self.status(directory.path(of: "folder")).permissions.rawValue == inner)
        }
    }

    @Test("what exists is opened, and keeps its mode")
    func existing() async throws {
        try await withTemporaryDirectory { directory in
            let path = FilePath(directory.path(of: "file"))
            let options: FileDescriptor.OpenOptions = [.create, .closeOnExec]
            for permissions: FilePermissions in [.ownerReadWrite, Self.permissions] {
                try FileOwner.open(path, .readWrite, options: options, permissions: permissions).close()
            }
            try FileOwner.makeEmptyFile(path, permissions: Self.permissions)
            #expect(try Self.status(path.string).permissions == .ownerReadWrite)
            #expect(FileOwner.makeFolder(path, inheritsMode: true) == .fileExists)
            #expect(FileOwner.makeFolder(FilePath("\(path)/x"), inheritsMode: true) == .notDirectory)
        }
    }

    @Test(
        "what root makes is the folder's owner's",
        .enabled(if: geteuid() == 0, "only root makes files for another user")
    )
    func owner() async throws {
        try await withTemporaryDirectory { directory in
            #expect(chown(directory.path, Self.service.user, Self.service.group) == 0)
            try Self.make(in: directory.path)
            for name in ["file", "folder"] {
                let status = try Self.status(directory.path(of: name))
                #expect(status.userID.rawValue == Self.service.user && status.groupID.rawValue == Self.service.group)
            }
            #expect(geteuid() == 0)
            try directory.write("root's again", to: "after")
            #expect(try Self.status(directory.path(of: "after")).userID.rawValue == 0)
        }
    }

    @Test(
        "a link that the owner puts in a folder's place gives the owner nothing",
        .enabled(if: geteuid() == 0, "only root makes files for another user"),
        arguments: [0, 65_532] as [uid_t]
    )
    func link(_ victim: uid_t) async throws {
        try await withTemporaryDirectory { directory in
            let (store, other) = (directory.path(of: "store"), directory.path(of: "other"))
            for (path, owner) in [(store, Self.service.user), (other, victim)] {
                #expect(mkdir(path, 0o755) == 0 && chown(path, owner, owner) == 0)
            }
            #expect(symlink(other, "\(store)/segments") == 0)
            try Self.make(in: "\(store)/segments")
            for name in ["file", "folder"] {
                #expect(try Self.status("\(other)/\(name)").userID.rawValue == victim)
            }
        }
    }

    private static func make(in folder: String) throws {
        let options: FileDescriptor.OpenOptions = [.create, .exclusiveCreate, .closeOnExec]
        try FileOwner.open(FilePath("\(folder)/file"), .writeOnly, options: options, permissions: permissions).close()
        #expect(FileOwner.makeFolder(FilePath("\(folder)/folder"), inheritsMode: true) == nil)
    }

    private static func status(_ path: String) throws -> Stat {
        try FilePath(path).stat(followTargetSymlink: false)
    }
}
