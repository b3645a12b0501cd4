/// The files that bundlers put hashes into the names of. Documents aren't among them: a data file whose name has a number
/// in hexadecimal digits is likelier a record than the output of a build.
enum OutputKind {
    private static let suffixes: Set<String> = [
        "js", "mjs", "cjs", "css", "wasm", "map", "woff", "woff2", "ttf", "otf", "eot", "png", "jpg", "jpeg", "gif",
        "webp",
        "avif", "svg", "ico", "mp3", "mp4", "m4a", "ogg", "wav", "webm",
    ]

    /// Whether what follows a hash in a file's name, such as `.chunk.js.map`, has the suffix of one.
    static func includes(_ suffix: some Collection<UInt8>) -> Bool {
        suffix.split(separator: UInt8(ascii: ".")).contains { suffixes.contains(String(decoding: $0, as: UTF8.self)) }
    }
}
