import BundleModel


extension MediaType {
    /// The type of a bundled file: the manifest's type for its extension, else the registered type of the extension,
    /// else the type that the content looks like (WHATWG MIME Sniffing).
    ///
    /// - Parameters:
    ///   - path: The file's path in the bundle.
    ///   - content: The file's bytes.
    ///   - overrides: Types by extension in lower case, as ``/BundleModel/BundleManifest/mediaTypes`` has them.
    package static func detect(
        _ path: BundlePath,
        _ content: ByteSlice,
        overrides: [String: String]
    ) -> MediaType {
        if let ext = path.fileExtension {
            if let type = overrides[ext].flatMap(MediaType.init) { return type }
            if let type = forExtension(ext) { return type }
        }
        return MediaTypeSniffer.sniff(content)
    }

    /// Whether this is the type of a page, which a browser opens as a document.
    package var isPage: Bool { ["text/html", "application/xhtml+xml"].contains(essence) }
}
