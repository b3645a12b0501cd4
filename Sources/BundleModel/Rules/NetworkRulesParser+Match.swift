extension NetworkRulesParser {
    func match(_ element: JSONElement) throws(BundleError) -> RuleMatch {
        try refuseUnknown(in: element, RuleMatch.Key.self)
        var match = RuleMatch()
        match.paths = try values(element, .path, pattern)
        match.suffixes = try values(element, .suffix, suffix)
        match.mediaTypes = try values(element, .mediaType, mediaRange)
        match.kinds = try values(element, .kind, choice)
        match.methods = try values(element, .method, method)
        return match
    }

    /// The values of a condition: one, or a list.
    private func values<Value: Equatable>(
        _ element: JSONElement,
        _ key: RuleMatch.Key,
        _ value: (JSONElement) throws(BundleError) -> Value
    ) throws(BundleError) -> [Value] {
        guard let element = try element.member(key.rawValue) else { return [] }
        guard case .array = element.value else { return [try value(element)] }
        try ManifestLimits.check(element, atMost: RuleMatch.maximumValueCount, "values", advice: "write a second rule")
        guard element.count > 0 else { throw element.refused("is an empty list; leave it out for any value") }
        var values: [Value] = []
        for element in try element.array() {
            let value = try value(element)
            guard !values.contains(value) else { throw element.refused("is named twice; keep one") }
            values.append(value)
        }
        return values
    }

    func pattern(_ element: JSONElement) throws(BundleError) -> URLPattern {
        let text = try element.string()
        guard let pattern = URLPattern(text) else {
            throw element.refused(
                "“\(Printable.text(text))” is not a pattern: write a path of the bundle such as /api/**, the end of one such "
                    + "as *.mp4, or a URL such as https://cdn.example/img/**, of at most "
                    + "\(PathPattern.maximumByteCount) bytes, with “*” within a name and “**” for folders"
            )
        }
        return pattern
    }

    private func suffix(_ element: JSONElement) throws(BundleError) -> String {
        let text = try element.string()
        guard (1...RuleMatch.maximumSuffixByteCount).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"/\\".utf8.contains($0) })
        else {
            throw element.refused(
                "“\(Printable.text(text))” is not the end of a file's name: use 1 to \(RuleMatch.maximumSuffixByteCount) "
                    + "visible characters of ASCII without slashes, such as .mp4"
            )
        }
        return text.lowercased()
    }

    private func mediaRange(_ element: JSONElement) throws(BundleError) -> MediaRange {
        let text = try element.string()
        guard let range = MediaRange(text) else {
            throw element.refused("“\(Printable.text(text))” is not a media type, such as image/* or text/html")
        }
        return range
    }

    private func method(_ element: JSONElement) throws(BundleError) -> String {
        let text = try element.string()
        guard HTTPSyntax.isToken(text), text.utf8.count <= 32, text == text.uppercased() else {
            throw element.refused("“\(Printable.text(text))” is not a method in upper case, such as GET or POST")
        }
        return text
    }
}
