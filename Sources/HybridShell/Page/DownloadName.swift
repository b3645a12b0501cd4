/// What a download is stored as: a name that the page or a server has suggested, made harmless.
enum DownloadName {
    /// A name without folders, control characters or a dot in front, of at most 200 bytes, that isn't taken.
    static func choose(_ suggestion: String, isTaken: (String) -> Bool) -> String {
        let last = suggestion.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        let visible = last.unicodeScalars.filter {
            !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 && $0.value != 0x7f
        }
        var name = String(String.UnicodeScalarView(visible)).drop { $0 == "." || $0 == " " }
        while name.utf8.count > 200 { name.removeLast() }
        let base = name.isEmpty ? "download" : String(name)
        guard isTaken(base) else { return base }
        let dot = base.lastIndex(of: ".") ?? base.endIndex
        return (2...).lazy.map { "\(base[..<dot]) (\($0))\(base[dot...])" }.first { !isTaken($0) } ?? base
    }
}
