/// A path inside a bundle, as bytes that the request's look-up lends.
struct BundledPath {
    /// What a folder's page is called.
    static let folderPage: StaticString = "/index.html"

    /// The path, which keeps the rules of ``BundleStore/BundlePath``, or nil for the bundle's root.
    let path: UnsafeRawBufferPointer?
    /// The path of the page that answers if ``path`` is a folder; nil for the root.
    let page: UnsafeRawBufferPointer?
    /// Whether the URL ends in a slash.
    let isFolder: Bool
}
