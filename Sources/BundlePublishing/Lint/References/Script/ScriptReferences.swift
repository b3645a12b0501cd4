/// What a script refers to: static imports, `import("…")`, `import.meta.resolve("…")`, `new URL("…", import.meta.url)` and its
/// source map. Pure.
package enum ScriptReferences {
    package static func find(in bytes: [UInt8]) -> [Reference] {
        var whole = ScriptScanner(ScriptTokenizer(bytes))
        let found = whole.references()
        guard !whole.tokens.isWhole else { return found }
        var fragments = ScriptScanner(ScriptFragments(bytes))
        let seen = Set(found)
        let others = fragments.references().filter { !seen.contains($0) }
        return (found + others).sorted { $0.line < $1.line }
    }
}

/// Compares the last tokens with what a reference looks like.
private struct ScriptScanner<Tokens: IteratorProtocol<(token: ScriptToken, line: Int)>> {
    /// As many tokens as `new URL("…", import.meta.url` has.
    private let windowCount = 10
    // In these patterns the text is where nil stands.
    private let location: [ScriptToken?] = [
        .name("new"), .name("URL"), .mark(UInt8(ascii: "(")), nil, .mark(UInt8(ascii: ",")), .name("import"),
        .mark(UInt8(ascii: ".")), .name("meta"), .mark(UInt8(ascii: ".")), .name("url"),
    ]
    /// What is behind the text is known to end the argument.
    private let dynamicImport: [ScriptToken?] = [.name("import"), .mark(UInt8(ascii: "(")), nil, nil]
    private let resolution: [ScriptToken?] = [
        .name("import"), .mark(UInt8(ascii: ".")), .name("meta"), .mark(UInt8(ascii: ".")), .name("resolve"),
        .mark(UInt8(ascii: "(")), nil, nil,
    ]

    private(set) var tokens: Tokens
    private var window: [(token: ScriptToken, line: Int)] = []
    /// Whether the tokens since `import` or `export` may be a clause that ends with `from "…"`.
    private var isInClause = false
    private var found: [Reference] = []

    init(_ tokens: Tokens) {
        self.tokens = tokens
    }

    mutating func references() -> [Reference] {
        while let next = tokens.next() {
            if case .sourceMap(let url) = next.token {
                found.append(Reference(url, .sourceMap, line: next.line))
                continue
            }
            window.append(next)
            if window.count > windowCount { window.removeFirst() }
            judge(next.token, next.line)
        }
        return found
    }

    private mutating func judge(_ token: ScriptToken, _ line: Int) {
        switch token {
        case .string(let text) where isStaticImport:
            found.append(Reference(text, .specifier, line: line))
            isInClause = false
        case .name("import"), .name("export"): isInClause = before(1) != .mark(UInt8(ascii: "."))
        case .name("url"): add(text(in: location), .location)
        case .name, .string: break
        case .mark(let byte):
            if isInClause { isInClause = "{},*".utf8.contains(byte) }
            // What follows otherwise makes the text a part of an expression.
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: ",") { addArgument() }
        case .value, .templatePart, .sourceMap: isInClause = false
        }
    }

    private mutating func addArgument() {
        if before(4) != .mark(UInt8(ascii: ".")) { add(text(in: dynamicImport), .specifier) }
        add(text(in: resolution), .resolution)
    }

    private mutating func add(_ text: (String, line: Int)?, _ kind: Reference.Kind) {
        if let (text, line) = text { found.append(Reference(text, kind, line: line)) }
    }

    /// The token so many before the last one.
    private func before(_ count: Int) -> ScriptToken? {
        window.count > count ? window[window.count - 1 - count].token : nil
    }

    /// `import "…` or `… from "…`
    private var isStaticImport: Bool {
        isInClause && (before(1) == .name("import") || before(1) == .name("from"))
    }

    /// The text in a pattern that the last tokens have; nil when they don't have it.
    private func text(in pattern: [ScriptToken?]) -> (String, line: Int)? {
        let tail = window.suffix(pattern.count)
        guard tail.count == pattern.count, let index = pattern.firstIndex(of: nil),
            zip(tail, pattern).allSatisfy({ $1 == nil || $0.token == $1 }),
            case (.string(let text), let line) = tail[tail.startIndex + index]
        else { return nil }
        return (text, line)
    }
}
