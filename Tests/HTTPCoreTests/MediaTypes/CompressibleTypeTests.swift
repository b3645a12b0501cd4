import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Which types a content coding makes smaller")
struct CompressibleTypeTests {
    @Test(
        "text in any notation, and binary formats that aren't compressed internally",
        arguments: [
            "html", "js", "css", "txt", "md", "json", "map", "webmanifest", "svg", "xml", "xhtml", "wasm", "ttf", "otf",
            "eot", "ico", "bmp", "gltf", "glb", "geojson", "m3u8", "csv", "yaml",
        ]
    )
    func compressible(_ ext: String) throws {
        #expect(try #require(MediaType.forExtension(ext)).isCompressible)
    }

    @Test(
        "not internally compressed or unknown types",
        arguments: [
            "woff", "woff2", "png", "jpg", "gif", "webp", "avif", "mp3", "mp4", "webm", "ogg", "zip", "gz", "br", "zst",
            "pdf",
            "docx", "jar", "bin",
        ]
    )
    func incompressible(_ ext: String) throws {
        #expect(try !#require(MediaType.forExtension(ext)).isCompressible)
    }

    @Test("parameters and case don't matter", arguments: ["Text/HTML; charset=utf-8", "IMAGE/SVG+XML"])
    func spelling(_ type: String) throws {
        #expect(try #require(MediaType(type)).isCompressible)
    }
}
