/// How much a part of a file's name looks like a hash.
enum TokenLook: Int, Comparable {
    /// As people write: words, numbers, dates.
    case written
    /// Rather so: a word, and letters that don't belong to it.
    case doubtful
    /// Either.
    case possible
    /// As people rarely write.
    case unusual
    /// As nobody writes.
    case random

    static func < (left: TokenLook, right: TokenLook) -> Bool { left.rawValue < right.rawValue }

    /// How much it speaks for its siblings being hashes, too: about the logarithm of how much likelier it is among
    /// hashes than among words.
    var weight: Int {
        switch self {
        case .written: -2
        case .doubtful: 0
        case .possible: 1
        case .unusual: 2
        case .random: 3
        }
    }

    /// The look of a text of a kind.
    init(_ text: ArraySlice<UInt8>, _ alphabet: NameToken.Alphabet) {
        self = alphabet == .hexadecimal ? HexadecimalLook.look(of: text) : Base64Look.look(of: text)
    }
}
