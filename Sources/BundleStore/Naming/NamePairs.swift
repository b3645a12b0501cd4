/// Finds the names of scripts and style sheets that are alike but for what may be a hash: `index-DormvYxC.js` beside
/// `index-C7VsfKqo.css`. Bundlers write such names; people give a script and its style sheet the same one.
struct NamePairs {
    private enum Kind {
        case script, styleSheet
    }

    /// What both names have in common.
    private struct Stem: Hashable {
        let start: Int
        let isHexadecimal: Bool
        let byteCount: Int
    }

    /// The file that came first.
    private struct First {
        let kind: Kind
        let token: Int
        var hasOther = false
    }

    /// Further names aren't compared; so memory is bounded.
    private static let maximumCount = 65_536

    private var files: [Stem: First] = [:]

    /// Notes the name of the file at `path`.
    mutating func add(_ token: NameToken, at path: UnsafeRawBufferPointer) {
        guard let stem = Self.stem(token, path), let kind = Self.kind(path[token.range.upperBound...]) else { return }
        let hash = token.text.hashValue
        if let first = files[stem] {
            if first.kind != kind, first.token != hash { files[stem]?.hasOther = true }
        } else if files.count < Self.maximumCount {
            files[stem] = First(kind: kind, token: hash)
        }
    }

    /// Whether the name of the file at `path` is that of a script and a style sheet.
    func contains(_ token: NameToken, at path: UnsafeRawBufferPointer) -> Bool {
        Self.stem(token, path).flatMap { files[$0] }?.hasOther ?? false
    }

    /// Nil for a name that begins with the token, or whose token looks like a word.
    private static func stem(_ token: NameToken, _ path: UnsafeRawBufferPointer) -> Stem? {
        guard token.look > .doubtful, token.separator != UInt8(ascii: "/") else { return nil }
        // Random for each process: nobody can choose names that collide.
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: path[..<token.range.lowerBound]))
        return Stem(
            start: hasher.finalize(),
            isHexadecimal: token.alphabet == .hexadecimal,
            byteCount: token.text.count
        )
    }

    private static func kind(_ suffix: Slice<UnsafeRawBufferPointer>) -> Kind? {
        switch String(decoding: suffix, as: UTF8.self) {
        case ".js", ".mjs": .script
        case ".css": .styleSheet
        default: nil
        }
    }
}
