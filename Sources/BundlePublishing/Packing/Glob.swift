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
    func matches(_ text: some BidirectionalCollection<UInt8>) -> Bool {
        // Most patterns have an end that few names have.
        if case .oneOf(let ends)? = tokens.last, !(text.last.map(ends.contains) ?? false) { return false }
        let count = tokens.count + 1
        return withUnsafeTemporaryAllocation(of: Bool.self, capacity: 2 * count) { memory in
            memory.initialize(repeating: false)
            // The positions in the pattern that the text so far may have led to, and those that one more byte leads to.
            var positions = Positions(rebasing: memory[..<count])
            var next = Positions(rebasing: memory[count...])
            reach(0, positions)
            for byte in text {
                guard advance(positions, by: byte, to: next) else { return false }
                swap(&positions, &next)
                next.update(repeating: false)
            }
            return positions[tokens.count]
        }
    }

    private typealias Positions = UnsafeMutableBufferPointer<Bool>

    /// Returns whether a position was reached.
    private func advance(_ positions: Positions, by byte: UInt8, to next: Positions) -> Bool {
        var isAlive = false
        for index in tokens.indices where positions[index] {
            switch tokens[index] {
            case .oneOf(let set):
                guard set.contains(byte) else { continue }
                reach(index + 1, next)
            case .run:
                guard byte != UInt8(ascii: "/") else { continue }
                reach(index, next)
            case .folders:
                // Not by reach(): what has been taken must end in a slash.
                next[index] = true
                reach(index + 1, next)
            }
            isAlive = true
        }
        return isAlive
    }

    /// Adds a position, and those that no further byte leads to.
    private func reach(_ position: Int, _ positions: Positions) {
        guard !positions[position] else { return }
        positions[position] = true
        guard position < tokens.count else { return }
        switch tokens[position] {
        case .oneOf: break
        case .run: reach(position + 1, positions)
        case .folders(let isBeforeSlash):
            reach(position + 1, positions)
            if isBeforeSlash { reach(position + 2, positions) }
        }
    }
}
