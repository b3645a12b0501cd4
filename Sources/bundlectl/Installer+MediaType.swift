import BundleInstall
import BundleServing
import BundleStore

extension Installer {
    /// An installer that determines each file's media type by its manifest, its name or its content.
    init(detectingTypesIn store: BundleStore) {
        self.init(store) { path, content, manifest in
            MediaType.detect(path, content, overrides: manifest.mediaTypes).string
        }
    }
}
