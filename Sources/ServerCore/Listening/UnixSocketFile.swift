import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a Unix domain socket.
struct UnixSocketFile: Sendable {
    /// There is a file of another kind, which must not be replaced.
    struct OtherKind: Error {}

    private let path: String
    private let identity: Identity

    /// The identity of the file, even if its path now names another one.
    private struct Identity: Equatable {
        let device: UInt64
        let node: UInt64
        let isSocket: Bool

        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            node = UInt64(status.st_ino)
            isSocket = status.st_mode & S_IFMT == S_IFSOCK
        }
    }

    /// Makes a socket that listens at `path`, in place of one left there by a server that has ended.
    ///
    /// - Parameter mode: Who may connect; nil leaves it to the process's umask.
    /// - Throws: `IOError`, with `EADDRINUSE` when a server listens there; `SocketAddressError` when the path is too
    ///   long; ``OtherKind``.
    static func listen(at path: String, mode: SocketMode?) throws -> (socket: StreamSocket, file: UnixSocketFile) {
        let address = try SocketAddress(unixDomainSocketPath: path)
        if try isStale(path, address) { try StreamSocket.checked("unlink", unlink(path)) }
        let socket = try StreamSocket(.unix)
        do {
            try socket.assign(address)
            guard let identity = Identity(path) else { throw IOError(errnoCode: errno, reason: "lstat") }
            let file = UnixSocketFile(path: path, identity: identity)
            do {
                // Connecting is impossible before it listens, so the mode applies to every connection.
                if let mode { try StreamSocket.checked("chmod", chmod(path, mode_t(mode.bits))) }
                try socket.startListening()
            } catch {
                file.remove()
                throw error
            }
            return (socket, file)
        } catch {
            socket.discard()
            throw error
        }
    }

    /// Checks that a socket could be made at `path`, without making it.
    ///
    /// - Throws: As ``listen(at:mode:)``.
    static func checkIsFree(_ path: String) throws {
        _ = try isStale(path, SocketAddress(unixDomainSocketPath: path))
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let folder = path[..<slash]
        try StreamSocket.checked("access", access(folder.isEmpty ? "." : String(folder), W_OK | X_OK))
    }

    /// Whether a server that has ended left a socket there; false when nothing is there.
    private static func isStale(_ path: String, _ address: SocketAddress) throws -> Bool {
        guard let identity = Identity(path) else { return false }
        guard identity.isSocket else { throw OtherKind() }
        let probe = try StreamSocket(.unix)
        defer { probe.discard() }
        switch probe.reach(address) {
        case ECONNREFUSED: return true
        case EACCES: throw IOError(errnoCode: EACCES, reason: "connect")
        // A full queue of connections also means that a server listens there.
        default: throw IOError(errnoCode: EADDRINUSE, reason: "connect")
        }
    }

    /// Removes the file, unless another one has taken its place. Reliable only while the socket is open: its inode
    /// number may be reused afterwards.
    func remove() {
        if Identity(path) == identity { _ = unlink(path) }
    }
}
