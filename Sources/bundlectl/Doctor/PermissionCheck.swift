import BundleStore
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Who may use the store. Pure.
enum PermissionCheck {
    /// - Parameters:
    ///   - places: The store's folder first, then what is in it.
    ///   - parent: The folder that it is in.
    ///   - user: The number of the present user.
    static func findings(_ places: [FileAccess], parent: FileAccess?, user: UInt32) -> [Finding] {
        guard let root = places.first else { return [] }
        let findings =
            unreadable(places, root) + [writing(places, root, user)].compactMap(\.self)
            + (places + [parent].compactMap(\.self)).filter(\.isOpenToAll).prefix(3).map(open)
            + others(places, root)
        guard findings.isEmpty else { return findings }
        return [Finding(.ok, .permissions, "\(root.path) belongs to user \(root.owner), mode \(mode(root))")]
    }

    private static func unreadable(_ places: [FileAccess], _ root: FileAccess) -> [Finding] {
        let places = places.filter { !$0.isReadable }
        return places.prefix(1).map { place in
            let mode = "chmod u+r\(place.isFolder ? "wx" : "w") \(place.path.shellWord), or run bundlectl as that user"
            return Finding(
                .error,
                .permissions,
                "\(place.path)\(more(places)) can't be read: it belongs to user \(place.owner), mode \(Self.mode(place))",
                remedy: place.owner == root.owner ? mode : chown(root)
            )
        }
    }

    /// A store that can be read can be served, so this is no error.
    private static func writing(_ places: [FileAccess], _ root: FileAccess, _ user: UInt32) -> Finding? {
        guard let place = places.first(where: { $0.isReadable && !$0.isWritable }) else { return nil }
        let remedy =
            place.owner == user
            ? "chmod u+w \(place.path.shellWord)" : "run bundlectl as user \(place.owner) to install and update"
        return Finding(
            .warning,
            .permissions,
            "\(place.path) can't be written by user \(user), who can only read the store",
            remedy: remedy
        )
    }

    private static func open(_ place: FileAccess) -> Finding {
        Finding(
            .warning,
            .permissions,
            "\(place.path) can be changed by every user of this machine, mode \(mode(place))",
            remedy: "chmod o-w \(place.path.shellWord)"
        )
    }

    /// Files that a command made that was once run as another user.
    private static func others(_ places: [FileAccess], _ root: FileAccess) -> [Finding] {
        let places = places.filter { $0.owner != root.owner }
        return places.prefix(1).map {
            Finding(
                .warning,
                .permissions,
                "\($0.path)\(more(places)) belongs to user \($0.owner), the store to user \(root.owner)",
                remedy: chown(root)
            )
        }
    }

    private static func chown(_ root: FileAccess) -> String { "sudo chown -R \(root.owner) \(root.path.shellWord)" }

    private static func more(_ places: [FileAccess]) -> String {
        places.count > 1 ? ", as one of \(places.count)," : ""
    }

    private static func mode(_ place: FileAccess) -> String { String(place.mode, radix: 8) }
}

/// Who may use a file or folder, as the system says. A value.
package struct FileAccess: Sendable, Equatable {
    /// Where it is.
    package let path: String
    /// The number of the user to whom it belongs.
    package let owner: UInt32
    /// The permissions, with the sticky bit.
    package let mode: UInt16
    /// Whether it is a folder.
    package let isFolder: Bool
    /// Whether this process may read it; for a folder also enter it.
    package let isReadable: Bool
    /// Whether this process may change it.
    package let isWritable: Bool

    /// Takes the values as they are.
    package init(
        path: String,
        owner: UInt32,
        mode: UInt16,
        isFolder: Bool,
        isReadable: Bool,
        isWritable: Bool
    ) {
        (self.path, self.owner, self.mode, self.isFolder) = (path, owner, mode, isFolder)
        (self.isReadable, self.isWritable) = (isReadable, isWritable)
    }

    /// Asks the system.
    ///
    /// - Throws: `Errno` when there is no such file, or a folder on the way to it can't be entered.
    package init(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        func isAllowed(_ mode: CInt) -> Bool { faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 }
        self.init(
            path: path,
            owner: UInt32(status.st_uid),
            mode: UInt16(truncatingIfNeeded: status.st_mode & 0o7777),
            isFolder: isFolder,
            isReadable: isAllowed(isFolder ? R_OK | X_OK : R_OK),
            isWritable: isAllowed(isFolder ? W_OK | X_OK : W_OK)
        )
    }

    /// Whether others than its owner and its group may put something else in its place, or change it.
    package var isOpenToAll: Bool { mode & 0o002 != 0 && (!isFolder || mode & 0o1000 == 0) }
}
