import BundleInstall
import BundleServing
import BundleStore

extension Installer {
    /// An installer that gives each file the media type that its manifest, its name or its content says.
    init(detectingTypesIn store: BundleStore) {
        self.init(store) { path, content, manifest in
            MediaType.detect(path, content, overrides: manifest.mediaTypes).string
        }
    }
}
