import BundleStore

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
