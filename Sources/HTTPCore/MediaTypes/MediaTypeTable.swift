/// File extensions and their media types: IANA's registration where there is one, else what the WHATWG standards and
/// browsers use. Each row is a type and its extensions.
///
/// `charset=utf-8` is only added to `text/*`. It is left out where the format states its own encoding:
/// - JSON is always UTF-8, and its type has no such parameter (RFC 8259 §11); the same holds for `+json`.
/// - XML, SVG and XHTML declare theirs, and a parameter would override the declaration (RFC 7303 §3.2).
/// - YAML (RFC 9512 §2.1) and TOML define no such parameter.
///
/// `svgz` is omitted on purpose: its type is correct only together with `Content-Encoding: gzip`.
enum MediaTypeTable {
    private typealias Row = (type: String, extensions: String)

    static let types: [String: MediaType] = {
        var types: [String: MediaType] = [:]
        for row in rows {
            let type = MediaType(known: row.type)
            for name in row.extensions.split(separator: " ") { types[String(name)] = type }
        }
        return types
    }()

    /// Every extension as often as the table lists it; the tests check that this is once.
    static var listedExtensions: [String] {
        rows.flatMap { $0.extensions.split(separator: " ").map(String.init) }
    }

    private static var rows: [Row] {
        documents + code + data + images + fonts + audio + video + models + archives
    }

    private static let documents: [Row] = [
        ("text/html; charset=utf-8", "html htm"),
        ("application/xhtml+xml", "xhtml xht"),
        ("text/plain; charset=utf-8", "txt text log ini conf properties srt"),
        ("text/markdown; charset=utf-8", "md markdown"),  // RFC 7763: charset is required
        ("text/calendar; charset=utf-8", "ics"),
        ("text/vcard; charset=utf-8", "vcf vcard"),
        ("text/vtt; charset=utf-8", "vtt"),
        ("text/cache-manifest; charset=utf-8", "appcache"),
        ("application/pdf", "pdf"),
        ("application/rtf", "rtf"),
        ("application/postscript", "ps eps ai"),
        ("application/epub+zip", "epub"),
        ("application/msword", "doc"),
        ("application/vnd.ms-excel", "xls"),
        ("application/vnd.ms-powerpoint", "ppt"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
        ("application/vnd.oasis.opendocument.text", "odt"),
        ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
        ("application/vnd.oasis.opendocument.presentation", "odp"),
    ]

    private static let code: [Row] = [
        ("text/javascript; charset=utf-8", "js mjs cjs"),  // RFC 9239
        ("text/css; charset=utf-8", "css"),
        ("application/wasm", "wasm"),
        ("text/wgsl; charset=utf-8", "wgsl"),
        ("text/plain; charset=utf-8", "glsl vert frag wat"),  // shaders and WebAssembly text have no type of their own
    ]

    private static let data: [Row] = [
        ("application/json", "json map"),  // source maps: ECMA-426
        ("application/ld+json", "jsonld"),
        ("application/geo+json", "geojson"),
        ("application/manifest+json", "webmanifest"),
        ("application/importmap+json", "importmap"),
        ("application/cbor", "cbor"),
        ("application/xml", "xml"),
        ("application/xslt+xml", "xsl xslt"),
        ("application/rss+xml", "rss"),
        ("application/atom+xml", "atom"),
        ("application/rdf+xml", "rdf"),
        ("application/mathml+xml", "mathml mml"),
        ("application/ttml+xml", "ttml"),
        ("application/yaml", "yaml yml"),  // RFC 9512
        ("application/toml", "toml"),
        ("text/csv; charset=utf-8", "csv"),
        ("text/tab-separated-values; charset=utf-8", "tsv"),
        ("application/vnd.mapbox-vector-tile", "mvt"),
        ("application/vnd.sqlite3", "sqlite sqlite3"),
        ("application/octet-stream", "bin dat data pck unityweb"),
    ]

    private static let images: [Row] = [
        ("image/svg+xml", "svg"),
        ("image/png", "png"),
        ("image/apng", "apng"),
        ("image/jpeg", "jpg jpeg jfif pjpeg pjp"),
        ("image/gif", "gif"),
        ("image/webp", "webp"),
        ("image/avif", "avif avifs"),
        ("image/heic", "heic"),
        ("image/heif", "heif"),
        ("image/jxl", "jxl"),
        ("image/bmp", "bmp"),
        ("image/tiff", "tif tiff"),
        ("image/vnd.microsoft.icon", "ico cur"),
        ("image/vnd.radiance", "hdr"),
        ("image/ktx", "ktx"),
        ("image/ktx2", "ktx2"),
        ("application/octet-stream", "basis"),
    ]

    // RFC 8081
    private static let fonts: [Row] = [
        ("font/woff", "woff"),
        ("font/woff2", "woff2"),
        ("font/ttf", "ttf"),
        ("font/otf", "otf"),
        ("font/collection", "ttc otc"),
        ("application/vnd.ms-fontobject", "eot"),
    ]

    private static let audio: [Row] = [
        ("audio/mpeg", "mp3"),
        ("audio/mp4", "m4a m4b"),
        ("audio/aac", "aac"),
        ("audio/flac", "flac"),
        ("audio/ogg", "oga ogg opus spx"),
        ("audio/wav", "wav"),
        ("audio/webm", "weba"),
        ("audio/midi", "mid midi"),
        ("audio/aiff", "aif aiff"),
    ]

    private static let video: [Row] = [
        ("video/mp4", "mp4 m4v"),
        ("video/webm", "webm"),
        ("video/ogg", "ogv"),
        ("application/ogg", "ogx"),
        ("video/quicktime", "mov qt"),
        ("video/mpeg", "mpg mpeg"),
        ("video/mp2t", "ts"),  // browsers run no TypeScript, so a file of this name on a page is a transport stream
        ("video/iso.segment", "m4s"),
        ("video/3gpp", "3gp"),
        ("video/vnd.avi", "avi"),
        ("video/matroska", "mkv"),
        ("application/vnd.apple.mpegurl", "m3u8"),
        ("application/dash+xml", "mpd"),
    ]

    private static let models: [Row] = [
        ("model/gltf+json", "gltf"),
        ("model/gltf-binary", "glb"),
        ("model/obj", "obj"),
        ("model/mtl", "mtl"),
        ("model/stl", "stl"),
        ("model/vnd.collada+xml", "dae"),
        ("model/vnd.usdz+zip", "usdz"),
    ]

    private static let archives: [Row] = [
        ("application/zip", "zip"),
        ("application/gzip", "gz tgz"),
        ("application/zstd", "zst"),
        ("application/x-xz", "xz"),
        ("application/x-bzip2", "bz2"),
        ("application/x-tar", "tar"),
        ("application/x-7z-compressed", "7z"),
        ("application/vnd.rar", "rar"),
        ("application/java-archive", "jar"),
        ("application/vnd.android.package-archive", "apk"),
        ("application/octet-stream", "br"),  // Brotli (RFC 7932) is a content coding without a media type
    ]
}
