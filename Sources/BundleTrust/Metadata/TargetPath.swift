import BundleModel

/// The path of a target, relative to the folder of targets. It never leads out of that folder. A value type; safe to share between
/// threads.
package struct TargetPath: Hashable, Sendable {
    /// The path as signed.
    package let text: ExactString

    /// - Throws: ``TrustError`` with `invalidPath` for a path that is too long, begins with a slash, has a control character or a
    ///   backslash, or a component that is empty, `.` or `..`.
    package init(_ text: String) throws(TrustError) {
        let components = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.utf8.count <= TrustLimits.pathByteCount,
            components.allSatisfy({ !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
        else { throw TrustError(.invalidPath, text, "can't be the path of a target") }
        self.text = ExactString(text)
    }

    /// The path of the target's file, percent-encoded for a URL.
    ///
    /// - Parameter hash: What the file's name begins with in a repository with consistent snapshots (6.2), or nil.
    func filePath(hash: String?) -> String {
        var components = text.string.utf8.split(separator: UInt8(ascii: "/")).map { component in
            PercentEncoding.encode(component: Substring(component))
        }
        if let hash { components[components.count - 1] = "\(hash).\(components[components.count - 1])" }
        return components.joined(separator: "/")
    }
}

extension TargetPath: CustomStringConvertible {
    /// The path as signed.
    package var description: String { text.string }
}
