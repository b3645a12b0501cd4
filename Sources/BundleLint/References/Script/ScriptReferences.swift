/// What a script refers to: static imports, `import("…")`, `new URL("…", import.meta.url)` and its source map. Pure.
package enum ScriptReferences {
    package static func find(in bytes: [UInt8]) -> [Reference] {
        var scanner = ScriptScanner(bytes)
        return scanner.references()
    }
}

/// Compares the last tokens with what a reference looks like.
private struct ScriptScanner {
    /// As many tokens as `new URL("…", import.meta.url` has.
    private static let windowCount = 10
    private static let url: [ScriptToken?] = [
        .name("new"), .name("URL"), .mark(UInt8(ascii: "(")), nil, .mark(UInt8(ascii: ",")), .name("import"),
        .mark(UInt8(ascii: ".")), .name("meta"), .mark(UInt8(ascii: ".")), .name("url"),
    ]

    private var tokenizer: ScriptTokenizer
    private var window: [(token: ScriptToken, line: Int)] = []
    /// Whether the tokens since `import` or `export` may be a clause that ends with `from "…"`.
    private var isInClause = false
    private var found: [Reference] = []

    init(_ bytes: [UInt8]) {
        tokenizer = ScriptTokenizer(bytes)
    }

    mutating func references() -> [Reference] {
        while let next = tokenizer.next() {
            if case .sourceMap(let url) = next.token {
                found.append(Reference(url, .sourceMap, line: next.line))
                continue
            }
            window.append(next)
            if window.count > Self.windowCount { window.removeFirst() }
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
        case .name, .string: break
        case .mark(let byte):
            if isInClause { isInClause = "{},*".utf8.contains(byte) }
            if let text = dynamicImport {
                found.append(Reference(text, .specifier, line: window[window.count - 2].line))
            }
        case .value, .sourceMap: isInClause = false
        }
        if let text = urlText { found.append(Reference(text, .other, line: window[window.count - 7].line)) }
    }

    /// The token so many before the last one.
    private func before(_ count: Int) -> ScriptToken? {
        window.count > count ? window[window.count - 1 - count].token : nil
    }

    /// The text in `import("…")` or `import("…",`: not one that is only a part of an expression.
    private var dynamicImport: String? {
        guard before(0) == .mark(UInt8(ascii: ")")) || before(0) == .mark(UInt8(ascii: ",")),
            case .string(let text) = before(1), before(2) == .mark(UInt8(ascii: "(")), before(3) == .name("import"),
            before(4) != .mark(UInt8(ascii: "."))
        else { return nil }
        return text
    }

    /// `import "…` or `… from "…`
    private var isStaticImport: Bool {
        isInClause && (before(1) == .name("import") || before(1) == .name("from"))
    }

    /// The text in `new URL("…", import.meta.url`.
    private var urlText: String? {
        guard window.count == Self.windowCount,
            zip(window, Self.url).allSatisfy({ $1 == nil || $0.token == $1 }), case .string(let text) = window[3].token
        else { return nil }
        return text
    }
}
