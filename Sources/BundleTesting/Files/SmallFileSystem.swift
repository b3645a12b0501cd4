import Foundation

/// A file system in memory that a test fills, or turns read-only. Needs the right to mount.
package struct SmallFileSystem: Sendable {
    /// Where it is mounted.
    package let directory: TemporaryDirectory

    /// Whether this process may mount: root on Linux, except in a container that forbids it.
    package static func isAvailable() async -> Bool {
        (try? await withSmallFileSystem(byteCount: 1 << 16) { _ in true }) ?? false
    }

    /// Writes zeros into a file of its own until nothing more fits.
    ///
    /// - Throws: Foundation's error when the file can't be made.
    package func fill() throws {
        let path = directory.path(of: "filling-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        // Down to the last byte: where a page doesn't fit, fewer bytes may.
        for count in [1 << 16, 1 << 12, 1] {
            let zeros = Data(count: count)
            while (try? file.write(contentsOf: zeros)) != nil {}
        }
    }

    /// Makes the file system read-only, even for root.
    ///
    /// - Throws: Foundation's error when it can't be remounted.
    package func makeReadOnly() throws {
        #if os(Linux)
            try Self.check(Foundation.mount("tmpfs", directory.path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil))
        #endif
    }

    // The system's calls and not the programs of their names: a program that starts has a copy of every descriptor until it
    // runs, and with it of the locks that the tests beside this one hold.
    fileprivate static func mount(at path: String, byteCount: Int) throws {
        #if os(Linux)
            try check(Foundation.mount("tmpfs", path, "tmpfs", 0, "size=\(byteCount)"))
        #else
            throw CocoaError(.featureUnsupported)
        #endif
    }

    fileprivate static func unmount(_ path: String) throws {
        #if os(Linux)
            try check(umount2(path, Int32(MNT_DETACH)))
        #endif
    }

    private static func check(_ result: Int32) throws {
        guard result == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }
}

/// Mounts a file system of `byteCount` bytes in memory, passes it to `body`, and unmounts it, whatever `body` did.
///
/// - Throws: What `body` throws, and Foundation's error when it can't be mounted.
package func withSmallFileSystem<Result>(
    byteCount: Int,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SmallFileSystem) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory { directory in
        try SmallFileSystem.mount(at: directory.path, byteCount: byteCount)
        return try await withCleanup {
            try await body(SmallFileSystem(directory: directory))
        } cleanUp: {
            try SmallFileSystem.unmount(directory.path)
        }
    }
}
