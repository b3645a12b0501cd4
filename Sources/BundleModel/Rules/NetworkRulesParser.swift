/// Reads `network`. Unlike elsewhere in the manifest, an unknown key is refused: without a condition that isn't known, a
/// rule would apply to more than its author means.
struct NetworkRulesParser {
    /// The bundle's origins; nil for rules that apply to all bundles.
    let origins: [OriginMapping]?

    init(origins: [OriginMapping]?) {
        self.origins = origins
    }

    func parse(_ element: JSONElement) throws(BundleError) -> (rules: NetworkRules, warnings: [String]) {
        try refuseUnknown(in: element, NetworkRules.Key.self)
        let elements = try element.member(NetworkRules.Key.rules.rawValue)?.elements(
            atMost: NetworkRules.maximumCount,
            "rules",
            "cover several cases with one"
        )
        var rules: [NetworkRule] = []
        for element in elements ?? [] { rules.append(try rule(element)) }
        try checkPatterns(of: rules, in: element)
        let precache = try element.member(NetworkRules.Key.precache.rawValue).map(precache) ?? []
        let warnings = ruleWarnings(rules, elements ?? [])
        return (NetworkRules(rules: rules, precache: precache), warnings)
    }

    private func checkPatterns(of rules: [NetworkRule], in element: JSONElement) throws(BundleError) {
        let byteCount = rules.flatMap(\.match.paths).reduce(0) { $0 + $1.string.utf8.count }
        guard byteCount <= NetworkRules.maximumPatternByteCount else {
            throw element.refused(
                "has patterns of \(byteCount) bytes together; the limit is \(NetworkRules.maximumPatternByteCount); "
                    + ManifestLimits.shorten
            )
        }
    }

    /// One for each rule that never applies, because an earlier one applies to all that it matches.
    private func ruleWarnings(_ rules: [NetworkRule], _ elements: [JSONElement]) -> [String] {
        rules.indices.compactMap { index in
            let earlier = rules[..<index].firstIndex {
                $0.isUnconditional && ($0.match.coversEverything || $0.match == rules[index].match)
            }
            return earlier.map { earlier in
                elements[index].refused(
                    "never applies, because rules[\(earlier)] matches first; move it up, or remove it"
                )
                .message
            }
        }
    }

    private func precache(_ element: JSONElement) throws(BundleError) -> [String] {
        guard let origins else { throw element.refused("belongs in a bundle's manifest; remove it here") }
        var urls: [String] = []
        for element in try element.elements(atMost: NetworkRules.maximumPrecacheCount, "URLs", "leave some out") {
            let text = try element.string()
            let url = try url(element, text)
            guard origins.contains(where: { $0.origin.contains(url) }) else {
                throw element.refused("“\(Printable.text(text))” does not lie below an origin of the bundle")
            }
            guard !urls.contains(text) else {
                throw element.refused("“\(Printable.text(text))” is named twice; keep one")
            }
            urls.append(text)
        }
        return urls
    }

    /// The URL without its query.
    private func url(_ element: JSONElement, _ text: String) throws(BundleError) -> OriginURL {
        guard text.utf8.count <= RuleRedirect.maximumByteCount else {
            throw element.refused("has \(text.utf8.count) bytes; the limit is \(RuleRedirect.maximumByteCount)")
        }
        do {
            guard try !HTTPURL(text).hasFragment else { throw OriginURLError(url: text, reason: .fragment) }
            return try OriginURL(String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") })))
        } catch {
            throw element.refused("\(error)", cause: error)
        }
    }
}

// MARK: - What all parts need

extension NetworkRulesParser {
    func refuseUnknown<Key>(
        in element: JSONElement,
        _ keys: Key.Type
    ) throws(BundleError) where Key: RawRepresentable<String> & CaseIterable {
        let known = Key.allCases.map(\.rawValue)
        for (key, member) in try element.members() where !known.contains(key) {
            throw member.refused("this key is not known; use \(known.joined(separator: ", "))")
        }
    }

    /// One of the values of `Value`.
    func choice<Value>(
        _ element: JSONElement
    ) throws(BundleError) -> Value where Value: RawRepresentable<String> & CaseIterable {
        let text = try element.string()
        guard let value = Value(rawValue: text) else {
            let values = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw element.refused("“\(Printable.text(text))” is none of \(values)")
        }
        return value
    }

    func milliseconds(_ element: JSONElement) throws(BundleError) -> Milliseconds {
        guard let time = Milliseconds(try element.integer()) else {
            throw element.refused("must be 1 to \(Milliseconds.maximum) milliseconds")
        }
        return time
    }
}

extension JSONElement {
    /// The elements of a list that isn't longer than `limit`.
    fileprivate func elements(
        atMost limit: Int,
        _ what: String,
        _ advice: String
    ) throws(BundleError) -> [JSONElement] {
        try ManifestLimits.check(self, atMost: limit, what, advice: advice)
        return try array()
    }

    /// The number, which is a whole one.
    func integer() throws(BundleError) -> Int64 {
        guard case .number(let number) = value else { throw mismatch("a whole number") }
        guard let integer = number.int64 else {
            throw refused("must be a whole number, but is \(Printable.text(number.text))")
        }
        return integer
    }

    func boolean() throws(BundleError) -> Bool {
        guard case .bool(let value) = value else { throw mismatch("true or false") }
        return value
    }
}
