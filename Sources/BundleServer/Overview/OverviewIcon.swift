import BundleStore
import Foundation

/// The icon of a release, as far as a file at its root has one of the usual names.
enum OverviewIcon {
    /// Larger ones are left out.
    private static let maximumByteCount: Int64 = 32 << 10
    private static let names = [
        ("favicon.svg", "image/svg+xml"), ("icon.svg", "image/svg+xml"), ("apple-touch-icon.png", "image/png"),
        ("icon-192.png", "image/png"), ("icon.png", "image/png"), ("favicon.png", "image/png"),
        ("favicon.ico", "image/vnd.microsoft.icon"),
    ]

    /// The `data:` URL of its content (RFC 2397), which needs no request to the bundle's origin. As an image an SVG runs no
    /// scripts.
    static func url(of release: Release) -> String? {
        for (name, mediaType) in names {
            guard let asset = release.asset(at: BundlePath(valid: name)), asset.byteCount <= maximumByteCount,
                let contents = asset.contents
            else { continue }
            return "data:\(mediaType);base64,\(contents.withUnsafeBytes { Data($0).base64EncodedString() })"
        }
        return nil
    }
}
