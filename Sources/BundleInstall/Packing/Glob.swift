/// A pattern of a gitignore file, without its slashes at the ends, as git's `wildmatch.c` reads it.
///
/// Matching takes time proportional to the pattern's length times the text's, whatever they are.
struct Glob: Hashable, Sendable {
    enum Token: Hashable {
        /// One of these bytes.
        case oneOf(ByteSet)
        /// Any bytes but slashes, also none.
        case run
        /// Any bytes, also none. When a slash follows, both may be missing.
        case folders(beforeSlash: Bool)
    }

    private let tokens: [Token]

    /// Returns nil for a malformed pattern: one that ends in a backslash, or in a set that isn't closed.
    init?(_ pattern: some Collection<UInt8>) {
        var parser = GlobParser(pattern)
        guard let tokens = parser.parse() else { return nil }
        self.tokens = tokens
    }

    /// Whether the pattern covers the whole text.
    func matches(_ text: some Sequence<UInt8>) -> Bool {
        // The positions in the pattern that the text so far may have led to.
        var positions = [Bool](repeating: false, count: tokens.count + 1)
        reach(0, &positions)
        for byte in text {
            var next = [Bool](repeating: false, count: tokens.count + 1)
            for (index, token) in tokens.enumerated() where positions[index] {
                switch token {
                case .oneOf(let set): if set.contains(byte) { reach(index + 1, &next) }
                case .run: if byte != UInt8(ascii: "/") { reach(index, &next) }
                case .folders:
                    // Not by reach(): what has been taken must end in a slash.
                    next[index] = true
                    reach(index + 1, &next)
                }
            }
            positions = next
        }
        return positions[tokens.count]
    }

    /// Adds a position, and those that no further byte leads to.
    private func reach(_ position: Int, _ positions: inout [Bool]) {
        guard !positions[position] else { return }
        positions[position] = true
        guard position < tokens.count else { return }
        switch tokens[position] {
        case .oneOf: break
        case .run: reach(position + 1, &positions)
        case .folders(let isBeforeSlash):
            reach(position + 1, &positions)
            if isBeforeSlash { reach(position + 2, &positions) }
        }
    }
}
