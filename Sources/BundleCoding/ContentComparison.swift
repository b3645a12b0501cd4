/// Compares a content with pieces that arrive one after another.
struct ContentComparison {
    private var rest: UnsafeRawBufferPointer

    init(_ content: UnsafeRawBufferPointer) {
        rest = content
    }

    /// Whether the whole content has arrived.
    var isComplete: Bool { rest.isEmpty }

    /// Returns whether the piece matches the next bytes of the content.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= rest.count, rest.prefix(piece.count).elementsEqual(piece) else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
        return true
    }
}
