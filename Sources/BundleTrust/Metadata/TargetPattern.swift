/// A pattern for the paths of targets (4.5, PATHPATTERN), as glob(7) reads it: `*`, `?`, `[a-z]` and `[!a-z]` stand for characters
/// within one component; a path has as many components as its pattern. A value type; safe to share between threads.
struct TargetPattern: Sendable {
    private enum Token {
        case character(Unicode.Scalar)
        case any
        case run
        case set(ranges: [ClosedRange<UInt32>], isInverted: Bool)

        func covers(_ character: Unicode.Scalar) -> Bool {
            switch self {
            case .character(let own): own == character
            case .any: true
            case .run: false
            case .set(let ranges, let isInverted): ranges.contains { $0.contains(character.value) } != isInverted
            }
        }

        var isRun: Bool { if case .run = self { true } else { false } }
    }

    // Tokens would take many times its memory, and anybody's documents may have many patterns.
    private let text: String

    /// Any text is a pattern: a bracket that isn't closed stands for itself.
    init(_ text: String) {
        self.text = text
    }

    /// Whether the pattern covers the whole path. Takes time proportional to the pattern's length times the path's.
    func matches(_ path: String) -> Bool {
        let (components, parts) = (Self.split(text), Self.split(path))
        return parts.count == components.count
            && zip(components, parts).allSatisfy { Self.covers(Self.tokens($0), $1) }
    }

    private static func split(_ text: String) -> [[Unicode.Scalar]] {
        text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(Array.init)
    }

    /// Goes back to the last star alone, as what an earlier one takes makes no difference after it.
    private static func covers(_ tokens: [Token], _ text: [Unicode.Scalar]) -> Bool {
        var (token, position) = (0, 0)
        var last: (token: Int, position: Int)?
        while position < text.count {
            if token < tokens.count, tokens[token].isRun {
                last = (token, position)
                token += 1
            } else if token < tokens.count, tokens[token].covers(text[position]) {
                token += 1
                position += 1
            } else if let run = last {
                last = (run.token, run.position + 1)
                (token, position) = (run.token + 1, run.position + 1)
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy(\.isRun)
    }

    private static func tokens(_ text: [Unicode.Scalar]) -> [Token] {
        var tokens: [Token] = []
        var position = 0
        while position < text.count {
            let character = text[position]
            position += 1
            switch character {
            case "*": tokens.append(.run)
            case "?": tokens.append(.any)
            case "[":
                guard let end = closing(in: text, after: position) else {
                    tokens.append(.character("["))
                    continue
                }
                tokens.append(set(text[position..<end]))
                position = end + 1
            default: tokens.append(.character(character))
            }
        }
        return tokens
    }

    /// The bracket that closes a set; one at its beginning is a member.
    private static func closing(in text: [Unicode.Scalar], after start: Int) -> Int? {
        var first = start
        if first < text.count, text[first] == "!" { first += 1 }
        guard first < text.count else { return nil }
        return text[(first + 1)...].firstIndex(of: "]")
    }

    private static func set(_ text: ArraySlice<Unicode.Scalar>) -> Token {
        let isInverted = text.first == "!"
        let members = Array(isInverted ? text.dropFirst() : text)
        var ranges: [ClosedRange<UInt32>] = []
        var position = 0
        while position < members.count {
            let lower = members[position].value
            let isRange = position + 2 < members.count && members[position + 1] == "-"
            let upper = isRange ? members[position + 2].value : lower
            // One that is the wrong way round has no members.
            if lower <= upper { ranges.append(lower...upper) }
            position += isRange ? 3 : 1
        }
        return .set(ranges: ranges, isInverted: isInverted)
    }
}
