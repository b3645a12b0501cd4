import BundleModel
import HTTPTypes

/// The value of a `Content-Type` field (RFC 9110 §8.3), for example `text/html; charset=utf-8`.
///
/// A value type; safe to share between threads.
package struct MediaType: Hashable, Sendable {
    /// The type with its parameters, ready to be sent.
    package let string: String

    /// Parses a media type, for example from a manifest. White space around it is dropped.
    ///
    /// - Returns: nil unless `text` is `type/subtype` with well-formed parameters (RFC 9110 §8.3.1), in printable
    ///   ASCII.
    package init?(_ text: String) {
        var scanner = FieldScanner(text)
        scanner.skipWhitespace()
        let value = scanner.remainder
        guard scanner.mediaType() != nil, scanner.parameters() != nil else { return nil }
        let end = scanner.remainder.startIndex
        scanner.skipWhitespace()
        guard scanner.isAtEnd, text.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) }) else { return nil }
        string = String(Substring(value[..<end]))
    }

    /// Creates a type that is known to be well-formed.
    init(known string: String) {
        self.string = string
    }

    /// The type for files with the extension `ext`, which is given without its dot and in any case.
    ///
    /// - Returns: nil for an extension without a known type; ``MediaTypeSniffer`` then examines the content.
    package static func forExtension(_ ext: String) -> MediaType? {
        MediaTypeTable.types[ext] ?? MediaTypeTable.types[ext.lowercased()]
    }

    /// The type and subtype in lower case, without parameters: `text/html`.
    package var essence: String {
        let end = string.utf8.firstIndex { $0 == UInt8(ascii: ";") || ASCII.isBlank($0) }
        return string[..<(end ?? string.endIndex)].lowercased()
    }

    /// Bytes of an unknown type (RFC 2046 §4.5.1).
    package static let octetStream = MediaType(known: "application/octet-stream")
    /// Text without markup, in UTF-8.
    package static let plainText = MediaType(known: "text/plain; charset=utf-8")
    /// HTML in UTF-8.
    package static let html = MediaType(known: "text/html; charset=utf-8")
    /// Scripts.
    package static let javaScript = MediaType(known: "text/javascript; charset=utf-8")
}

extension MediaType: CustomStringConvertible {
    /// The same as ``string``.
    package var description: String { string }
}

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

extension HTTPResponse {
    /// Whether it is a stream of server-sent events, which lasts as long as the page, and may be silent for any time.
    package var isEventStream: Bool {
        // Its parameters may be malformed: browsers ignore them, too.
        headerFields[.contentType].map(MediaType.init(known:))?.essence == "text/event-stream"
    }
}
