extension NetworkRulesParser {
    func rule(_ element: JSONElement) throws(BundleError) -> NetworkRule {
        try refuseUnknown(in: element, NetworkRule.Key.self)
        var rule = NetworkRule()
        rule.match = try element.member(.match).map(match) ?? RuleMatch()
        rule.isOnlyIfMetered = try element.member(.onlyIfMetered)?.boolean() ?? false
        rule.strategy = try element.member(.strategy).map(choice) ?? .cacheFirst
        rule.timeLimit = try element.member(.timeLimit).map(milliseconds)
        rule.isNeverOffline = try element.member(.offline).map(offline) ?? false
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
        if rule.strategy.isWithoutNetwork {
            try element.refuse([.timeLimit, .offline, .responseFields] + network, beside: rule.strategy.rawValue)
        }
        if rule.timeLimit != nil, rule.strategy != .networkFirst {
            throw try element.required(NetworkRule.Key.timeLimit.rawValue)
                .refused("has no effect without the strategy “network-first”; remove it, or give that strategy")
        }
        guard !rule.match.mediaTypes.isEmpty else { return }
        for key in network + [.redirect, .mock] + (rule.strategy == .bundleOnly ? [.strategy] : []) {
            if let element = try element.member(key) { throw element.refused(Self.tooEarly) }
        }
    }

    private static let tooEarly =
        "is decided before the response's media type is known; match by “path”, “suffix” or “kind” instead"

    private func offline(_ element: JSONElement) throws(BundleError) -> Bool {
        let text = try element.string()
        guard text == NetworkRule.neverOffline else {
            throw element.refused(
                "“\(Printable.text(text))” is not “\(NetworkRule.neverOffline)”; leave it out otherwise"
            )
        }
        return true
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
        let status = try element.member(RuleMock.Key.status.rawValue)
        let number = try status?.integer() ?? 200
        let fields = try element.member(RuleMock.Key.fields.rawValue).map { element throws(BundleError) in
            try self.fields(element, in: .response)
        }
        let delay = try element.member(RuleMock.Key.delay.rawValue).map(milliseconds)
        guard let mock = RuleMock(file: file, status: number, fields: fields ?? [], delay: delay) else {
            throw (status ?? element).refused(
                "\(number) is not a status from 200 to 599 that may have content; 204, 205 and 304 go without “file”"
            )
        }
        return mock
    }
}
