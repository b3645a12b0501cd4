/// Compares pieces, as they come, with a whole.
struct ContentComparison {
    private var rest: UnsafeRawBufferPointer

    init(_ content: UnsafeRawBufferPointer) {
        rest = content
    }

    /// Whether all of the whole has come.
    var isComplete: Bool { rest.isEmpty }

    /// Returns whether the piece is how the whole goes on.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= rest.count, rest.prefix(piece.count).elementsEqual(piece) else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
        return true
    }
}
