/// The word that was probably meant by a mistyped one. Pure.
enum NearestWord {
    /// The most bytes of a word that is looked at: no command has as many.
    private static let maximumByteCount = 32

    /// The candidate that takes the fewest changes; nil when each takes more than a third of its letters.
    static func nearest(to word: String, in candidates: [String]) -> String? {
        guard word.utf8.count <= maximumByteCount else { return nil }
        let distances = candidates.map { (word: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
        return distances.filter { $0.distance <= max(1, $0.word.utf8.count / 3) }.min { $0.distance < $1.distance }?
            .word
    }

    /// The number of letters to insert, delete, replace or swap with their neighbour (the optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var (beforeLast, last) = ([Int](), Array(0...right.count))
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var least = min(last[column + 1], current[column]) + 1
                least = min(least, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
