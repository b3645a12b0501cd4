import Foundation

/// A file system in memory that a test fills, or turns read-only. Needs the right to mount.
public struct SmallFileSystem: Sendable {
    /// Where it is mounted.
    public let directory: TemporaryDirectory

    /// Whether this process may mount: root on Linux, except in a container that forbids it.
    public static func isAvailable() async -> Bool {
        (try? await withSmallFileSystem(byteCount: 1 << 16) { _ in true }) ?? false
    }

    /// Writes zeros into a file of its own until nothing more fits.
    ///
    /// - Throws: Foundation's error when the file can't be made.
    public func fill() throws {
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
    /// - Throws: ``ChildProcessError`` when it can't be remounted.
    public func makeReadOnly() async throws {
        try await Self.run("mount", ["-o", "remount,ro", directory.path])
    }

    static func run(_ program: String, _ arguments: [String]) async throws {
        let result = try await ChildProcess.run(program, arguments)
        guard result.exitCode == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }
}

/// Mounts a file system of `byteCount` bytes in memory, passes it to `body`, and unmounts it, whatever `body` did.
///
/// - Throws: What `body` throws, and Foundation's error when it can't be mounted.
public func withSmallFileSystem<Result>(
    byteCount: Int,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SmallFileSystem) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory { directory in
        try await SmallFileSystem.run("mount", ["-t", "tmpfs", "-o", "size=\(byteCount)", "tmpfs", directory.path])
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(SmallFileSystem(directory: directory))) } catch {
            result = .failure(error)
        }
        try await SmallFileSystem.run("umount", ["-l", directory.path])
        return try result.get()
    }
}
