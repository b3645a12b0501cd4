import BundleEmbedding
import BundleServing
import Synchronization

/// What an `ob_resource` is. Thread-safe.
final class ResourceHandle: Sendable {
    /// A text about the file.
    enum Detail {
        case mediaType, path, bundle, version, digest
    }

    let resource: Resource
    // An initialiser, since a literal is made by code for any dictionary, which takes 50 ns.
    private let texts = Mutex([Detail: CText]())

    init(_ resource: Resource) {
        self.resource = resource
    }

    /// A text that lives as long as the handle. It is made on first use: most programs need few of them.
    func text(_ detail: Detail) -> UnsafePointer<CChar> {
        texts.withLock { texts in
            if let text = texts[detail] { return text.pointer }
            let text = CText(string(detail))
            texts[detail] = text
            return text.pointer
        }
    }

    private func string(_ detail: Detail) -> String {
        switch detail {
        case .mediaType: resource.mediaType
        case .path: resource.asset.path
        case .bundle: resource.asset.release.name.string
        case .version: resource.asset.release.version.string
        case .digest: resource.asset.digest.hex
        }
    }
}
