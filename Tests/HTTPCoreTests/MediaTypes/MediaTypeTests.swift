import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Media types")
struct MediaTypeTests {
    @Test(
        "an extension has its type",
        arguments: [
            ("html", "text/html; charset=utf-8"), ("htm", "text/html; charset=utf-8"),
            ("xhtml", "application/xhtml+xml"),
            ("js", "text/javascript; charset=utf-8"), ("mjs", "text/javascript; charset=utf-8"),
            ("cjs", "text/javascript; charset=utf-8"), ("css", "text/css; charset=utf-8"),
            ("json", "application/json"), ("map", "application/json"), ("jsonld", "application/ld+json"),
            ("geojson", "application/geo+json"), ("wasm", "application/wasm"), ("svg", "image/svg+xml"),
            ("png", "image/png"), ("apng", "image/apng"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"),
            ("jfif", "image/jpeg"), ("gif", "image/gif"), ("webp", "image/webp"), ("avif", "image/avif"),
            ("ico", "image/vnd.microsoft.icon"), ("bmp", "image/bmp"), ("tif", "image/tiff"), ("tiff", "image/tiff"),
            ("jxl", "image/jxl"), ("woff", "font/woff"), ("woff2", "font/woff2"), ("ttf", "font/ttf"),
            ("otf", "font/otf"), ("ttc", "font/collection"), ("eot", "application/vnd.ms-fontobject"),
            ("mp3", "audio/mpeg"), ("m4a", "audio/mp4"), ("aac", "audio/aac"), ("flac", "audio/flac"),
            ("oga", "audio/ogg"), ("ogg", "audio/ogg"), ("opus", "audio/ogg"), ("wav", "audio/wav"),
            ("weba", "audio/webm"), ("mid", "audio/midi"), ("mp4", "video/mp4"), ("m4v", "video/mp4"),
            ("webm", "video/webm"), ("ogv", "video/ogg"), ("mov", "video/quicktime"), ("ts", "video/mp2t"),
            ("m3u8", "application/vnd.apple.mpegurl"), ("mpd", "application/dash+xml"),
            ("vtt", "text/vtt; charset=utf-8"), ("srt", "text/plain; charset=utf-8"), ("pdf", "application/pdf"),
            ("txt", "text/plain; charset=utf-8"), ("md", "text/markdown; charset=utf-8"),
            ("csv", "text/csv; charset=utf-8"), ("tsv", "text/tab-separated-values; charset=utf-8"),
            ("ics", "text/calendar; charset=utf-8"), ("vcf", "text/vcard; charset=utf-8"), ("xml", "application/xml"),
            ("xsl", "application/xslt+xml"), ("xslt", "application/xslt+xml"), ("rss", "application/rss+xml"),
            ("atom", "application/atom+xml"), ("webmanifest", "application/manifest+json"),
            ("yaml", "application/yaml"), ("yml", "application/yaml"), ("toml", "application/toml"),
            ("zip", "application/zip"), ("gz", "application/gzip"), ("tar", "application/x-tar"),
            ("7z", "application/x-7z-compressed"), ("bin", "application/octet-stream"),
            ("dat", "application/octet-stream"), ("glb", "model/gltf-binary"), ("gltf", "model/gltf+json"),
            ("usdz", "model/vnd.usdz+zip"), ("hdr", "image/vnd.radiance"), ("ktx2", "image/ktx2"),
            ("basis", "application/octet-stream"), ("obj", "model/obj"), ("stl", "model/stl"),
            ("wgsl", "text/wgsl; charset=utf-8"), ("glsl", "text/plain; charset=utf-8"),
        ]
    )
    func byExtension(ext: String, expected: String) {
        #expect(MediaType.forExtension(ext)?.string == expected)
    }

    @Test("case doesn't matter", arguments: ["HTML", "Html", "hTmL"])
    func caseInsensitive(ext: String) {
        #expect(MediaType.forExtension(ext) == .html)
    }

    @Test("an extension that isn't listed has none", arguments: ["", "xyz", ".html", "html ", "svgz", "é", "tar.gz"])
    func unknown(ext: String) {
        #expect(MediaType.forExtension(ext) == nil)
    }

    @Test("no extension is listed twice, and all are in lower case")
    func tableIsConsistent() {
        let all = MediaTypeTable.listedExtensions
        #expect(Set(all).count == all.count)
        #expect(all.allSatisfy { $0 == $0.lowercased() })
        #expect(MediaTypeTable.types.count == all.count)
    }

    @Test("every listed type is well formed, and has a charset exactly when it is text")
    func tableIsWellFormed() {
        for type in MediaTypeTable.types.values {
            #expect(MediaType(type.string) == type)
            #expect(type.string.contains("charset=utf-8") == type.essence.hasPrefix("text/"), "\(type)")
        }
    }

    @Test(
        "a type from outside is kept as it is",
        arguments: [
            ("text/html", "text/html", "text/html"), (" a/b\t", "a/b", "a/b"),
            ("Text/HTML;Charset=\"utf-8\"", "Text/HTML;Charset=\"utf-8\"", "text/html"),
            ("text/html ; charset=gbk", "text/html ; charset=gbk", "text/html"),
            (
                "application/vnd.a+json; x=1; y=\"a;b\"", "application/vnd.a+json; x=1; y=\"a;b\"",
                "application/vnd.a+json"
            ),
            ("a/b;", "a/b;", "a/b"),
        ]
    )
    func wellFormed(text: String, string: String, essence: String) {
        #expect(MediaType(text)?.string == string)
        #expect(MediaType(text)?.essence == essence)
        #expect(MediaType(text)?.description == string)
    }

    @Test(
        "anything but a media type is refused",
        arguments: [
            "", " ", "text", "text/", "/html", "text/html/x", "text /html", "text/html charset=utf-8",
            "text/html; charset",
            "text/html; =x", "text/html; a=", "text/html; a=\"b", "text/html, text/plain", "téxt/html",
            "text/html; a=é",
            "text/html\r\nSet-Cookie: a=b", "text/html; a=\"\r\n\"", "text/html\u{0}", "*",
        ]
    )
    func malformed(text: String) {
        #expect(MediaType(text) == nil)
    }
}
