import BundleStore

/// What is packed besides a folder's files.
package struct PackAddition: Sendable {
    let path: BundlePath
    let content: [UInt8]
    let pageEnd: [UInt8]

    /// - Parameters:
    ///   - path: The path of a file; one in the folder gives way to it.
    ///   - content: The file's bytes.
    ///   - pageEnd: What each HTML file gets at its end.
    package init(path: BundlePath, content: [UInt8], pageEnd: [UInt8]) {
        self.path = path
        self.content = content
        self.pageEnd = pageEnd
    }
}
