import BundleStore

/// A path that isn't the same file on every system.
struct PortableNameError: Error, Hashable {
    /// Why a path was refused.
    enum Reason: Hashable, CaseIterable {
        /// Windows drops a dot at the end, so that two names become one file.
        case trailingDot
        /// Windows drops a space at the end too.
        case trailingSpace
        /// `CON`, `NUL` and others mean devices on Windows.
        case reservedDeviceName
        /// `C:` in a folder's name leads elsewhere for programs that join paths carelessly, and so does `a:b.txt`: the file
        /// `b.txt` of drive `a:` (Microsoft, “Naming Files, Paths, and Namespaces”).
        case driveLetter
        /// `index.html::$DATA` is the file `index.html` on NTFS.
        case streamType
        /// `%2e%2e` becomes `..` for a program that decodes once too often.
        case encodedTraversal
    }

    let path: BundlePath
    let reason: Reason
}

extension PortableNameError: CustomStringConvertible {
    /// One sentence that names the path and what is wrong with it.
    var description: String {
        "“\(Printable.text(path.string))” \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .trailingDot: "has a component that ends in a dot, which Windows drops"
        case .trailingSpace: "has a component that ends in a space, which Windows drops"
        case .reservedDeviceName: "has a component that is a device's name on Windows"
        case .driveLetter: "has a component that starts with a letter and a colon, which Windows takes for a drive"
        case .streamType: "has a component that names a stream of another file on Windows"
        case .encodedTraversal: "has an encoded dot or slash"
        }
    }
}
