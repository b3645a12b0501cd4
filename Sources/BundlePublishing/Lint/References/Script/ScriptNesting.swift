/// The open brackets of a script, and what may follow its last token: as much of the grammar as tells whether a slash divides
/// or begins a regular expression (ECMA-262 §12). Its time grows with the number of tokens alone. A value type.
struct ScriptNesting {
    /// What may follow the last token.
    private enum Place {
        case statement
        case operand
        /// The last token ends an operand, or what can't be told from one.
        case `operator`
    }

    /// What a keyword before a bracket makes of it.
    private enum Head: Equatable {
        /// `if` and the like: a statement follows the parentheses.
        case control
        /// A function, in front of its parameters or its body. One that is a part of an expression is an operand.
        case function(isOperand: Bool)
        case `class`(isOperand: Bool)
    }

    private enum Bracket {
        case statements
        /// Those of an object or a class.
        case members
        case substitution
        case parentheses
        case square
    }

    private struct Opening {
        let bracket: Bracket
        /// What may follow the closing bracket.
        var next = Place.operator
        /// The head that the closing bracket doesn't end: a function's parameters come before its body.
        var head: Head?
        /// How many conditionals wait for their colon.
        var conditionalCount: Int32 = 0
    }

    private static let controls: Set<String> = ["if", "while", "for", "with"]
    private static let namesBeforeStatements: Set<String> = ["else", "do", "try", "finally"]
    private static let namesBeforeOperands: Set<String> = [
        "return", "typeof", "case", "delete", "void", "throw", "new", "await", "yield", "var", "let", "const",
    ]
    private static let operators: Set<String> = ["in", "of", "instanceof"]

    /// The script itself is the first.
    private var open = [Opening(bracket: .statements)]
    private var place = Place.statement
    private var head: Head?
    private var last: ScriptToken?
    /// Whether `=>` came last.
    private var isAfterArrow = false
    /// How many dots came last.
    private var dotCount = 0
    private var hasStrayBracket = false

    /// Whether a slash here begins a regular expression.
    var mayBeginExpression: Bool { place != .operator }
    /// Whether the brackets match so far, and none is open.
    var isWhole: Bool { open.count == 1 && !hasStrayBracket }

    /// Whether a closing brace here is the end of a template's substitution, which is ended then.
    mutating func endSubstitution() -> Bool {
        dropToBrace()
        guard open[open.count - 1].bracket == .substitution else { return false }
        open.removeLast()
        return true
    }

    mutating func follow(_ token: ScriptToken) {
        switch token {
        case .name(let name): follow(name)
        case .string, .value: follow(place: .operator)
        case .templatePart:
            begin(Opening(bracket: .substitution), at: .operand)
        case .mark(let byte): follow(mark: byte)
        case .sourceMap: return
        }
        isAfterArrow = token == .mark(UInt8(ascii: ">")) && last == .mark(UInt8(ascii: "="))
        dotCount = token == .mark(UInt8(ascii: ".")) ? dotCount + 1 : 0
        last = token
    }

    private mutating func follow(place: Place) {
        self.place = place
        if head == .control { head = nil }
    }

    private mutating func follow(_ name: String) {
        // What comes after one dot, or after “#”, is the name of a property; after three it isn't.
        if dotCount == 1 || last == .mark(UInt8(ascii: "#")) { return follow(place: .operator) }
        // “for await (”
        if name == "await", head == .control { return }
        let isOperand = place == .operand
        switch name {
        case "function": head = .function(isOperand: isOperand)
        case "class": head = .class(isOperand: isOperand)
        // A function's place is that of its “async”.
        case "async": return
        case "export", "default": return follow(place: .statement)
        case _ where Self.controls.contains(name): head = .control
        case _ where Self.namesBeforeStatements.contains(name): return follow(place: .statement)
        case _ where Self.namesBeforeOperands.contains(name): return follow(place: .operand)
        case _ where Self.operators.contains(name) && place == .operator: return follow(place: .operand)
        default: return follow(place: .operator)
        }
        place = .operator
    }

    private mutating func follow(mark byte: UInt8) {
        switch byte {
        case UInt8(ascii: "("):
            let next: Place = head == .control ? .statement : .operator
            begin(Opening(bracket: .parentheses, next: next, head: head == .control ? nil : head), at: .operand)
        case UInt8(ascii: "["): begin(Opening(bracket: .square, head: head), at: .operand)
        case UInt8(ascii: "{"): beginBrace()
        case UInt8(ascii: ")"): end(.parentheses)
        case UInt8(ascii: "]"): end(.square)
        case UInt8(ascii: "}"): endBrace()
        case UInt8(ascii: ";"):
            open[open.count - 1].conditionalCount = 0
            place = open[open.count - 1].bracket == .statements ? .statement : .operand
            head = nil
        case UInt8(ascii: ":"): followColon()
        case UInt8(ascii: "?"): followQuestionMark()
        case UInt8(ascii: "."):
            // “?.” is no conditional.
            if last == .mark(UInt8(ascii: "?")) { endConditional() }
            if dotCount == 2 { place = .operand }
        case UInt8(ascii: "#"), UInt8(ascii: "\\"): break
        case UInt8(ascii: ","), UInt8(ascii: "="):
            place = .operand
            head = nil
        default: follow(place: .operand)
        }
    }

    private mutating func begin(_ opening: Opening, at place: Place) {
        open.append(opening)
        self.place = place
        head = nil
    }

    private mutating func beginBrace() {
        switch (head, place) {
        case (.function(let isOperand), _):
            begin(Opening(bracket: .statements, next: isOperand ? .operator : .statement), at: .statement)
        case (.class(let isOperand), _):
            begin(Opening(bracket: .members, next: isOperand ? .operator : .statement), at: .statement)
        case (_, .operand) where !isAfterArrow, (_, .statement) where last == .name("default"):
            begin(Opening(bracket: .members), at: .statement)
        default: begin(Opening(bracket: .statements, next: .statement), at: .statement)
        }
    }

    /// A brace is stronger than other brackets: it ends those that are open in it, and they don't end it.
    private mutating func end(_ bracket: Bracket) {
        while let last = open.last, [.parentheses, .square].contains(last.bracket) {
            open.removeLast()
            if last.bracket == bracket { return end(last) }
            hasStrayBracket = true
        }
        hasStrayBracket = true
        place = .operator
    }

    private mutating func endBrace() {
        dropToBrace()
        guard open.count > 1 else {
            hasStrayBracket = true
            place = .statement
            return
        }
        end(open.removeLast())
    }

    private mutating func end(_ opening: Opening) {
        place = opening.next
        head = opening.head
    }

    private mutating func dropToBrace() {
        while let last = open.last, [.parentheses, .square].contains(last.bracket) {
            open.removeLast()
            hasStrayBracket = true
        }
    }

    /// Behind a label or a `case` there is a statement, behind a key or in a conditional an operand.
    private mutating func followColon() {
        let top = open[open.count - 1]
        place = top.bracket == .statements && top.conditionalCount == 0 ? .statement : .operand
        head = nil
        endConditional()
    }

    private mutating func followQuestionMark() {
        // “??” is no conditional.
        if last == .mark(UInt8(ascii: "?")) {
            endConditional()
        } else {
            open[open.count - 1].conditionalCount &+= 1
        }
        follow(place: .operand)
    }

    private mutating func endConditional() {
        open[open.count - 1].conditionalCount = max(open[open.count - 1].conditionalCount - 1, 0)
    }
}
