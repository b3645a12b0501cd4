import BundleStore

/// Counts what the names of a release have in common: those of a folder, and of all folders, whose hash would have the
/// same place, alphabet and length. Bundlers put the hashes of a folder in one place; people don't write a folder full of
/// names that look like them.
struct NameCensus {
    /// Names that are judged together.
    private struct Family: Hashable {
        /// A hash of the folder; nil for the family of all folders.
        let folder: Int?
        let separator: UInt8
        /// Base32 isn't told apart: the other names of the folder may be words.
        let isHexadecimal: Bool
        let byteCount: Int

        init(_ token: NameToken, folder: Int?) {
            self.folder = folder
            separator = token.separator
            isHexadecimal = token.alphabet == .hexadecimal
            byteCount = token.text.count
        }
    }

    private struct Tally {
        var weight = 0
        /// That of the names in base32 alone.
        var base32Weight = 0
        var unusualCount = 0
        /// How many files another release has with other content, and how many others there are.
        var changedCount = 0
        var otherCount = 0
        /// The latest token: a file's source map and licences have the file's.
        var last: Int?

        /// Contents that change under their names, but for a few files that no build has named.
        var isRefuted: Bool { changedCount * 8 > otherCount }

        mutating func add(_ token: NameToken, _ comparison: NameComparison?) {
            // That a name changes that nobody takes for a hash says nothing of the others.
            switch comparison {
            case .different where token.look > .written: changedCount += 1
            case .different: break
            case .same, nil: otherCount += 1
            }
            let hash = token.text.hashValue
            guard last != hash else { return }
            last = hash
            weight += token.look.weight
            if token.alphabet == .base32 { base32Weight += token.look.weight }
            if token.look >= .unusual { unusualCount += 1 }
        }
    }

    /// Further families aren't counted, and their names are judged alone; so memory is bounded.
    private static let maximumFamilyCount = 65_536
    /// The weight of a folder that is full of hashes.
    private static let fullWeight = 20

    private var tallies: [Family: Tally] = [:]
    private var pairs = NamePairs()

    /// Counts the name of the file at `path`. To be called in the order of the paths.
    ///
    /// - Parameters:
    ///   - token: Its token.
    ///   - comparison: What other releases have under the path; nil for nothing.
    mutating func add(_ token: NameToken, at path: UnsafeRawBufferPointer, _ comparison: NameComparison?) {
        pairs.add(token, at: path)
        for family in [Family(token, folder: Self.hash(path.folder)), Family(token, folder: nil)] {
            guard tallies[family] != nil || tallies.count < Self.maximumFamilyCount else { continue }
            tallies[family, default: Tally()].add(token, comparison)
        }
    }

    /// Whether contents have changed under names like that of the file at `path`.
    func isRefuted(_ token: NameToken, at path: UnsafeRawBufferPointer) -> Bool {
        tallies[Family(token, folder: Self.hash(path.folder))]?.isRefuted ?? false
    }

    /// Whether names like that of the file at `path` have hashes: those of its folder do, or those of the release do and
    /// nothing in the folder speaks against it, or a script and a style sheet differ in it. Of a doubtful one only if its folder
    /// is full of others, and in base32 of one that looks like words, too.
    func hasHashedSiblings(_ token: NameToken, at path: UnsafeRawBufferPointer) -> Bool {
        let own = tallies[Family(token, folder: Self.hash(path.folder))] ?? Tally()
        guard token.look > .doubtful else {
            return token.look == .doubtful && own.weight >= Self.fullWeight
                || token.alphabet == .base32 && own.base32Weight >= Self.fullWeight && Base32Look.mayBeHash(token.text)
        }
        if pairs.contains(token, at: path) { return true }
        let all = tallies[Family(token, folder: nil)] ?? Tally()
        return own.weight >= 4 && own.unusualCount >= 1 || own.weight >= 1 && own.unusualCount >= 1 && all.weight >= 6
    }

    /// Random for each process: nobody can choose folders that collide.
    private static func hash(_ folder: some Collection<UInt8>) -> Int {
        var hasher = Hasher()
        for byte in folder { hasher.combine(byte) }
        return hasher.finalize()
    }
}

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
