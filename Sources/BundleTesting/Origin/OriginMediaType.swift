import BundleStore

/// The `Content-Type` of what an origin publishes, by file extension.
enum OriginMediaType {
    private static let types = [
        "css": "text/css; charset=utf-8",
        "html": "text/html; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "json": "application/json",
        "mjs": "text/javascript; charset=utf-8",
        "png": "image/png",
        "svg": "image/svg+xml",
        "txt": "text/plain; charset=utf-8",
        "wav": "audio/wav",
        "wasm": "application/wasm",
        "woff2": "font/woff2",
        "zip": "application/zip",
    ]

    static func type(of path: BundlePath) -> String {
        path.fileExtension.flatMap { types[$0] } ?? "application/octet-stream"
    }
}
