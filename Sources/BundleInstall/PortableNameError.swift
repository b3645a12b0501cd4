import BundleStore

/// A path that isn't portable across systems.
package struct PortableNameError: Error, Hashable {
    /// Why a path was refused.
    package enum Reason: Hashable, CaseIterable {
        /// Windows drops a trailing dot, so that two names denote one file.
        case trailingDot
        /// Windows also drops a trailing space.
        case trailingSpace
        /// `CON`, `NUL` and others denote devices on Windows.
        case reservedDeviceName
        /// `C:` in a folder's name leads elsewhere in programs that join paths carelessly, and so does `a:b.txt`: the
        /// file `b.txt` on drive `a:` (Microsoft, “Naming Files, Paths, and Namespaces”).
        case driveLetter
        /// `index.html::$DATA` is the file `index.html` on NTFS.
        case streamType
        /// `%2e%2e` becomes `..` in a program that decodes once too often.
        case encodedTraversal
    }

    package let path: BundlePath
    package let reason: Reason
}

extension PortableNameError: CustomStringConvertible {
    /// One sentence that names the path and the problem.
    package var description: String {
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
