/// A path inside a bundle, as bytes that are valid during the look-up.
struct BundledPath {
    /// The file name of a folder's page.
    static let folderPage: StaticString = "/index.html"

    /// The path, which follows the rules of ``/BundleModel/BundlePath``, or nil for the bundle's root.
    let path: UnsafeRawBufferPointer?
    /// The path of the page to serve if ``path`` is a folder; nil for the root.
    let page: UnsafeRawBufferPointer?
    /// Whether the URL ends in a slash.
    let isFolder: Bool
}
