extension MediaType {
    /// Whether content of this type usually becomes smaller in a content coding: text in any notation, and the few
    /// binary formats that aren't compressed internally. Images, audio, video, WOFF and archives are.
    package var isCompressible: Bool {
        let essence = essence
        return essence.hasPrefix("text/") || essence.hasSuffix("+json") || essence.hasSuffix("+xml")
            || Self.compressibleTypes.contains(essence)
    }

    private static let compressibleTypes: Set<String> = [
        // Text types without “text/”.
        "application/json", "application/javascript", "application/xml", "application/yaml", "application/toml",
        "application/rtf", "application/postscript", "application/vnd.apple.mpegurl", "model/obj", "model/mtl",
        // Code and tables with many repetitions.
        "application/wasm", "application/cbor", "application/vnd.sqlite3",
        // Outlines without the compression that WOFF adds to them (RFC 8081).
        "font/ttf", "font/otf", "font/collection", "application/vnd.ms-fontobject",
        // Uncompressed pixels and meshes.
        "image/bmp", "image/vnd.microsoft.icon", "model/gltf-binary", "model/stl",
    ]
}
