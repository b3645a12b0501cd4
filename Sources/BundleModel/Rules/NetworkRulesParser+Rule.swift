extension NetworkRulesParser {
    func rule(_ element: JSONElement) throws(BundleError) -> NetworkRule {
        try refuseUnknown(in: element, NetworkRule.Key.self)
        var rule = NetworkRule()
        rule.match = try element.member(.match).map(match) ?? RuleMatch()
        rule.isOnlyIfMetered = try element.member(.onlyIfMetered)?.boolean() ?? false
        rule.strategy = try element.member(.strategy).map(choice) ?? .cacheFirst
        rule.timeLimit = try element.member(.timeLimit).map(milliseconds)
        rule.offline = try element.member(.offline).map(choice)
        rule.keepDays = try element.member(.keepDays).map(days)
        rule.keepsAuthorized = try element.member(.keepAuthorized)?.boolean() ?? false
        rule.userCookies = try element.member(.userCookies).map(cookies)
        rule.requestFields = try element.member(.requestFields).map(requestFields) ?? FieldEdit()
        rule.responseFields = try element.member(.responseFields).map(responseFields) ?? FieldEdit()
        rule.connectTo = try element.member(.connectTo).map(connectAddress)
        rule.rewrite = try element.member(.rewrite).map(rewrite)
        rule.redirect = try element.member(.redirect).map(redirect)
        rule.mock = try element.member(.mock).map(mock)
        try checkCombination(rule, element)
        return rule
    }

    /// What has no effect beside something else is a mistake.
    private func checkCombination(_ rule: NetworkRule, _ element: JSONElement) throws(BundleError) {
        let network: [NetworkRule.Key] = [.requestFields, .connectTo, .rewrite]
        let response: [NetworkRule.Key] = [.strategy, .timeLimit, .offline, .responseFields] + network
        if rule.redirect != nil { try element.refuse(response + [.mock], beside: "redirect") }
        if rule.mock != nil { try element.refuse(response, beside: "mock") }
        if [.bundleOnly, .block].contains(rule.strategy) {
            try element.refuse([.timeLimit, .offline, .responseFields] + network, beside: rule.strategy.rawValue)
        }
        if rule.strategy == .cacheOnly {
            try element.refuse([.timeLimit, .offline, .connectTo], beside: rule.strategy.rawValue)
        }
        if rule.timeLimit != nil, rule.strategy != .networkFirst {
            throw try element.required(NetworkRule.Key.timeLimit.rawValue)
                .refused("has no effect without the strategy “network-first”; remove it, or give that strategy")
        }
        try checkOffline(rule, element)
        guard !rule.match.mediaTypes.isEmpty else { return }
        let isDecidedByRequest = [.bundleOnly, .cacheOnly].contains(rule.strategy)
        let early: [NetworkRule.Key] =
            [.redirect, .mock] + (isDecidedByRequest ? [.strategy] : []) + (rule.offline == .always ? [.offline] : [])
        for key in network + early {
            if let element = try element.member(key) { throw element.refused(Self.tooEarly) }
        }
    }

    private static let tooEarly =
        "is decided before the response's media type is known; match by “path”, “suffix” or “kind” instead"

    private func checkOffline(_ rule: NetworkRule, _ element: JSONElement) throws(BundleError) {
        if rule.offline == .always, rule.strategy == .networkOnly {
            try element.refuse([.offline], beside: rule.strategy.rawValue)
        }
        guard rule.offline != .always else { return }
        for key in [NetworkRule.Key.keepDays, .keepAuthorized, .userCookies] {
            guard let element = try element.member(key) else { continue }
            throw element.refused("has no effect without “offline”: “always”; remove it, or add that")
        }
    }

    private func days(_ element: JSONElement) throws(BundleError) -> Int {
        guard let days = Int(exactly: try element.integer()), (1...NetworkRule.maximumKeepDays).contains(days) else {
            throw element.refused("must be 1 to \(NetworkRule.maximumKeepDays) days")
        }
        return days
    }

    private func cookies(_ element: JSONElement) throws(BundleError) -> [String] {
        let advice = "name those that tell users apart"
        try ManifestLimits.check(element, atMost: RuleMatch.maximumValueCount, "cookies", advice: advice)
        var names: [String] = []
        for element in try element.array() {
            let name = try element.string()
            guard HTTPSyntax.isToken(name), name.utf8.count <= NetworkRule.maximumCookieByteCount else {
                throw element.refused(
                    "“\(Printable.text(name))” is not the name of a cookie of at most "
                        + "\(NetworkRule.maximumCookieByteCount) bytes"
                )
            }
            guard !names.contains(name) else { throw element.refused("is named twice; keep one") }
            names.append(name)
        }
        return names
    }

    private func connectAddress(_ element: JSONElement) throws(BundleError) -> ConnectAddress {
        let text = try element.string()
        guard let address = ConnectAddress(text) else {
            throw element.refused("“\(Printable.text(text))” is not a host, or a host and port such as cdn.example:443")
        }
        return address
    }
}

extension JSONElement {
    fileprivate func member(_ key: NetworkRule.Key) throws(BundleError) -> JSONElement? { try member(key.rawValue) }

    /// Refuses the first of `keys` that is there.
    fileprivate func refuse(_ keys: [NetworkRule.Key], beside other: String) throws(BundleError) {
        for key in keys {
            guard let element = try member(key) else { continue }
            throw element.refused("has no effect beside “\(other)”; remove one of the two")
        }
    }
}

// MARK: - Other places

extension NetworkRulesParser {
    private func rewrite(_ element: JSONElement) throws(BundleError) -> URLRewrite {
        try refuseUnknown(in: element, URLRewrite.Key.self)
        let from = try mappedPattern(element.required(URLRewrite.Key.from.rawValue))
        let target = try element.required(URLRewrite.Key.to.rawValue)
        guard let rewrite = URLRewrite(from: from, to: try mappedPattern(target)) else {
            throw target.refused("must have the same wildcards in the same order as “from”")
        }
        return rewrite
    }

    /// A pattern whose every URL lies below an origin of the bundle, as far as that is known.
    private func mappedPattern(_ element: JSONElement) throws(BundleError) -> URLPattern {
        let pattern = try pattern(element)
        guard pattern.isRooted else {
            throw element.refused("“\(Printable.text(pattern.string))” must start with “/” or with an origin's URL")
        }
        guard let origins, !origins.contains(where: { pattern.lies(in: $0) }) else { return pattern }
        throw element.refused("“\(Printable.text(pattern.string))” does not lie below an origin of the bundle")
    }

    private func redirect(_ element: JSONElement) throws(BundleError) -> RuleRedirect {
        try refuseUnknown(in: element, RuleRedirect.Key.self)
        let status = try element.required(RuleRedirect.Key.status.rawValue)
        let place = try element.required(RuleRedirect.Key.to.rawValue)
        let (number, text) = (try status.integer(), try place.string())
        guard RuleRedirect.statuses.contains(number) else {
            throw status.refused(
                "\(number) is none of \(RuleRedirect.statuses.map(String.init).joined(separator: ", "))"
            )
        }
        guard let redirect = RuleRedirect(status: number, place: text) else {
            throw place.refused(
                "“\(Printable.text(text))” is neither an http or https URL nor a path with one “/” at its start, in ASCII "
                    + "and of at most \(RuleRedirect.maximumByteCount) bytes"
            )
        }
        return redirect
    }

    private func mock(_ element: JSONElement) throws(BundleError) -> RuleMock {
        try refuseUnknown(in: element, RuleMock.Key.self)
        let file = try element.member(RuleMock.Key.file.rawValue).map(BundleManifestParser.file)
        let content = try element.member(RuleMock.Key.content.rawValue)
        if file != nil, let content { throw content.refused("has no effect beside “file”; remove one of the two") }
        let inline = try content.map(mockContent)
        let status = try element.member(RuleMock.Key.status.rawValue)
        let number = try status?.integer() ?? 200
        let fields = try element.member(RuleMock.Key.fields.rawValue).map { element throws(BundleError) in
            try self.fields(element, in: .response)
        }
        let delay = try element.member(RuleMock.Key.delay.rawValue).map(milliseconds)
        guard let mock = RuleMock(file: file, content: inline, status: number, fields: fields ?? [], delay: delay)
        else {
            throw (status ?? element).refused(
                "\(number) is not a status from 200 to 599 that may have content; 204, 205 and 304 go without “file” and “content”"
            )
        }
        return mock
    }

    private func mockContent(_ element: JSONElement) throws(BundleError) -> JSONValue {
        switch element.value {
        case .string, .array, .object: element.value
        case .null, .bool, .number: throw element.refused("is \(element.value.kind); write a text, a list or an object")
        }
    }
}

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

extension NetworkRulesParser {
    func requestFields(_ element: JSONElement) throws(BundleError) -> FieldEdit {
        try edit(element, in: .request)
    }

    func responseFields(_ element: JSONElement) throws(BundleError) -> FieldEdit {
        try edit(element, in: .response)
    }

    private func edit(_ element: JSONElement, in message: EditableField.Message) throws(BundleError) -> FieldEdit {
        try refuseUnknown(in: element, FieldEdit.Key.self)
        var edit = FieldEdit()
        if let set = try element.member(FieldEdit.Key.set.rawValue) { edit.set = try fields(set, in: message) }
        if let add = try element.member(FieldEdit.Key.add.rawValue) { edit.add = try fields(add, in: message) }
        if let remove = try element.member(FieldEdit.Key.remove.rawValue) {
            edit.remove = try names(remove, in: message)
        }
        return edit
    }

    /// The fields of an object from name to value.
    func fields(_ element: JSONElement, in message: EditableField.Message) throws(BundleError) -> [HeaderField] {
        try limit(element)
        var fields: [HeaderField] = []
        for (name, element) in try element.members() {
            guard !fields.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw element.refused("the field is named twice, which differs in upper and lower case only; keep one")
            }
            let value = try element.string()
            try check(name, element, in: message, isRemoval: false)
            guard value.utf8.count <= FieldEdit.maximumValueByteCount, let field = HeaderField(name: name, value: value)
            else {
                throw element.refused(
                    "“\(Printable.text(value))” is not a header field's value: use printable ASCII of at most "
                        + "\(FieldEdit.maximumValueByteCount) bytes"
                )
            }
            fields.append(field)
        }
        return fields
    }

    private func names(_ element: JSONElement, in message: EditableField.Message) throws(BundleError) -> [String] {
        try limit(element)
        var names: [String] = []
        for element in try element.array() {
            let name = try element.string()
            try check(name, element, in: message, isRemoval: true)
            guard !names.contains(where: { $0.lowercased() == name.lowercased() }) else {
                throw element.refused("“\(name)” is named twice; keep one")
            }
            names.append(name)
        }
        return names
    }

    private func limit(_ element: JSONElement) throws(BundleError) {
        try ManifestLimits.check(element, atMost: FieldEdit.maximumCount, "fields", advice: "leave some out")
    }

    private func check(
        _ name: String,
        _ element: JSONElement,
        in message: EditableField.Message,
        isRemoval: Bool
    ) throws(BundleError) {
        guard HTTPSyntax.isToken(name), name.utf8.count <= 64 else {
            throw element.refused("“\(Printable.text(name))” is not the name of a header field of at most 64 bytes")
        }
        switch EditableField.permission(for: name, in: message) {
        case .any: return
        case .removal:
            guard !isRemoval else { return }
            throw element.refused("a rule may remove this field, but not set it; remove it here")
        case .nothing: throw element.refused("rules may not change this field; remove it here")
        }
    }
}
