/// Maps a URL prefix to a folder of a bundle: with `https://m.example.com/shop/` ↔ `/`, the file `app.js` is served for
/// `https://m.example.com/shop/app.js`. A value type; safe to share between threads.
public struct OriginMapping: Hashable, Sendable {
    /// The keys of a mapping in `bundle.json`.
    enum Key: String, CaseIterable {
        case url
        case path
    }

    /// The URL prefix.
    public let origin: OriginURL
    /// The folder in the bundle, or nil for its root.
    public let folder: BundlePath?

    /// Maps `origin` to `folder`; nil is the bundle's root.
    public init(origin: OriginURL, folder: BundlePath? = nil) {
        self.origin = origin
        self.folder = folder
    }

    /// The folder as the manifest writes it: `/`, or `/assets/`.
    public var path: String {
        folder.map { "/\($0)/" } ?? "/"
    }
}

extension OriginMapping: CustomStringConvertible {
    /// Both sides as text: `https://m.example.com/shop/ ↔ /`.
    public var description: String { "\(origin) ↔ \(path)" }
}
