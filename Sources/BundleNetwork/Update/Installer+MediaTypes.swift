import BundleInstall
import BundleServing
import BundleStore

extension Installer {
    /// Makes an installer that determines each file's media type from the manifest, the file's name, or its content.
    ///
    /// - Parameter store: The store to install in.
    public init(_ store: BundleStore) {
        self.init(store) { path, content, manifest in
            MediaType.detect(path, content, overrides: manifest.mediaTypes).string
        }
    }
}
