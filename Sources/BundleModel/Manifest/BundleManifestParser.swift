/// Reads the keys of a manifest one by one, and collects a warning for each unknown key.
struct BundleManifestParser {
    typealias Key = BundleManifest.Key

    let isLimiting: Bool
    private(set) var warnings: [String] = []

    init(isLimiting: Bool) {
        self.isLimiting = isLimiting
    }

    mutating func manifest(_ root: JSONElement) throws(BundleError) -> BundleManifest {
        try warn(about: root, besides: Key.allCases.map(\.rawValue) + [Key.schemaReference])
        let name = try name(root.required(Key.name.rawValue))
        let version = try version(root.required(Key.version.rawValue))
        let origins = try origins(root.required(Key.origins.rawValue))
        return BundleManifest(
            parsed: name,
            version: version,
            origins: origins,
            entry: try root.member(Key.entry.rawValue).map(Self.file) ?? BundleManifest.defaultEntry,
            fallback: try fallback(root.member(Key.fallback.rawValue)),
            offlinePage: try root.member(Key.offlinePage.rawValue).map(Self.file),
            headers: try headers(root.member(Key.headers.rawValue)),
            immutable: try root.member(Key.immutable.rawValue).map(immutable),
            mediaTypes: try root.member(Key.mediaTypes.rawValue).map(mediaTypes) ?? [:],
            forwardedFields: try root.member(Key.forwardedFields.rawValue).map(forwardedFields) ?? [],
            forwardsAddress: try root.member(Key.forwardedAddress.rawValue)?.boolean() ?? false,
            ignoredParameters: try root.member(Key.ignoreQuery.rawValue).map(ignoredParameters) ?? [],
            network: try network(root.member(Key.network.rawValue), origins),
            feed: try root.member(Key.feed.rawValue).map(feed),
            channel: try root.member(Key.channel.rawValue).map(channel) ?? BundleManifest.defaultChannel,
            health: try root.member(Key.health.rawValue).map { element throws(BundleError) in try health(element) },
            pagesMayUpdate: try root.member(Key.pages.rawValue).map { element throws(BundleError) in
                try pagesMayUpdate(element)
            } ?? false
        )
    }

    mutating func warn(about element: JSONElement, besides known: [String]) throws(BundleError) {
        for (key, member) in try element.members() where !known.contains(key) {
            warn(about: member, "this key is not known and is ignored")
        }
    }

    private mutating func network(
        _ element: JSONElement?,
        _ origins: [OriginMapping]
    ) throws(BundleError) -> NetworkRules {
        guard let element else { return NetworkRules() }
        let parsed = try NetworkRulesParser(origins: origins).parse(element)
        warnings += parsed.warnings
        return parsed.rules
    }

    mutating func warn(about element: JSONElement, _ problem: String) {
        warnings.append("\(BundleManifest.fileName): \(element.path): \(problem)")
    }

    func limit(_ element: JSONElement, to count: Int, _ what: String, _ advice: String) throws(BundleError) {
        if isLimiting { try ManifestLimits.check(element, atMost: count, what, advice: advice) }
    }
}

// MARK: - What the bundle is, and where its updates come from

extension BundleManifestParser {
    private func name(_ element: JSONElement) throws(BundleError) -> BundleName {
        let text = try element.string()
        guard let name = BundleName(text) else {
            throw element.refused(
                "“\(Printable.text(text))” is not a bundle name: use 1 to \(BundleName.maximumByteCount) of a-z 0-9 . _ -, "
                    + "starting with a letter or digit"
            )
        }
        return name
    }

    private func version(_ element: JSONElement) throws(BundleError) -> BundleVersion {
        if case .number(let number) = element.value {
            let digits = Printable.text(number.text)
            throw element.refused("must be a string, but is a number; write \"\(digits)\" with quotes")
        }
        let text = try element.string()
        guard let version = BundleVersion(text) else {
            throw element.refused(
                "“\(Printable.text(text))” is not a version: use a semantic version (1.4.0-rc.1) or dotted numbers (20261120.4)"
            )
        }
        return version
    }

    private func feed(_ element: JSONElement) throws(BundleError) -> String {
        let text = try element.string()
        do {
            let url = try HTTPURL(text)
            guard !url.hasFragment else { throw OriginURLError(url: text, reason: .fragment) }
        } catch {
            throw element.refused("\(error)", cause: error)
        }
        return text
    }

    private func channel(_ element: JSONElement) throws(BundleError) -> String {
        let text = try element.string()
        guard BundleManifest.isChannel(text) else {
            throw element.refused("“\(Printable.text(text))” is not a channel: use 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return text
    }
}

// MARK: - What the bundle serves

extension BundleManifestParser {
    mutating func origins(_ element: JSONElement) throws(BundleError) -> [OriginMapping] {
        try limit(element, to: ManifestLimits.originCount, "URLs", "map a prefix that they share")
        var mappings: [OriginMapping] = []
        var seen: Set<OriginURL> = []
        for item in try element.array() {
            let mapping = try origin(item)
            guard seen.insert(mapping.origin).inserted else {
                throw item.refused("“\(mapping.origin)” is mapped twice; keep one")
            }
            mappings.append(mapping)
        }
        return mappings
    }

    private mutating func origin(_ element: JSONElement) throws(BundleError) -> OriginMapping {
        try warn(about: element, besides: OriginMapping.Key.allCases.map(\.rawValue))
        let url = try originURL(element.required(OriginMapping.Key.url.rawValue))
        guard let path = try element.member(OriginMapping.Key.path.rawValue) else { return OriginMapping(origin: url) }
        return OriginMapping(origin: url, folder: try folder(path))
    }

    private func originURL(_ element: JSONElement) throws(BundleError) -> OriginURL {
        let text = try element.string()
        do {
            return try OriginURL(text)
        } catch {
            throw element.refused("\(error)", cause: error)
        }
    }
}

// MARK: - What is served

extension BundleManifestParser {
    static func file(_ element: JSONElement) throws(BundleError) -> BundlePath {
        try path(element, element.string())
    }

    /// Nil for the bundle's root, which isn't a path.
    private func folder(_ element: JSONElement) throws(BundleError) -> BundlePath? {
        let text = try element.string()
        let slash = UInt8(ascii: "/")
        guard text.utf8.first == slash else {
            throw element.refused(
                "“\(Printable.text(text))” does not start with “/”, which stands for the bundle's root"
            )
        }
        var inner = text.utf8.dropFirst()
        guard !inner.isEmpty else { return nil }
        if inner.last == slash { inner = inner.dropLast() }
        return try Self.path(element, String(Substring(inner)))
    }

    private static func path(_ element: JSONElement, _ text: String) throws(BundleError) -> BundlePath {
        do {
            return try BundlePath(text)
        } catch {
            throw element.refused("\(error)", cause: error)
        }
    }

    mutating func fallback(_ element: JSONElement?) throws(BundleError) -> RouteFallback? {
        guard let element else { return nil }
        try warn(about: element, besides: RouteFallback.Key.allCases.map(\.rawValue))
        let file = try Self.file(element.required(RouteFallback.Key.file.rawValue))
        guard let routes = try element.member(RouteFallback.Key.routes.rawValue) else {
            return RouteFallback(file: file)
        }
        try limit(routes, to: ManifestLimits.routeCount, "path patterns", ManifestLimits.shorten)
        let patterns = try routes.array().map(route)
        if isLimiting { try ManifestLimits.check(patterns, ofAtMost: ManifestLimits.routeByteCount, in: routes) }
        return RouteFallback(file: file, routes: patterns)
    }

    private func route(_ element: JSONElement) throws(BundleError) -> PathPattern {
        try pattern(element, element.string())
    }

    func pattern(_ element: JSONElement, _ text: String) throws(BundleError) -> PathPattern {
        guard let pattern = PathPattern(text) else {
            throw element.refused(
                "“\(Printable.text(text))” is not a path pattern: start with “/”, use “*” within a name and “**” for folders"
            )
        }
        return pattern
    }
}

// MARK: - How files are sent

extension BundleManifestParser {
    mutating func headers(_ element: JSONElement?) throws(BundleError) -> [HeaderRule] {
        guard let element else { return [] }
        try limit(element, to: ManifestLimits.headerPatternCount, "path patterns", ManifestLimits.shorten)
        var rules: [HeaderRule] = []
        for (key, element) in try element.members() {
            rules.append(HeaderRule(pattern: try pattern(element, key), fields: try fields(element)))
        }
        if isLimiting {
            let patterns = rules.map(\.pattern)
            try ManifestLimits.check(patterns, ofAtMost: ManifestLimits.headerPatternByteCount, in: element)
        }
        return rules
    }

    private mutating func fields(_ element: JSONElement) throws(BundleError) -> [HeaderField] {
        var fields: [HeaderField] = []
        var names: Set<String> = []
        for (name, value) in try element.members() {
            guard names.insert(name.lowercased()).inserted else {
                throw value.refused("the field is set twice, which differs in upper and lower case only; keep one")
            }
            fields.append(try field(name, value))
            if OriginWideField.isRefused(inManifest: name) {
                warn(about: value, "this field speaks for more than the bundle and is not sent; remove it")
            }
        }
        return fields
    }

    private func field(_ name: String, _ element: JSONElement) throws(BundleError) -> HeaderField {
        let value = try element.string()
        if let field = HeaderField(name: name, value: value) { return field }
        guard HTTPSyntax.isToken(name) else {
            throw element.refused("“\(Printable.text(name))” is not the name of a header field")
        }
        guard !HeaderField.isReserved(name) else {
            let hint = name.lowercased() == "content-type" ? "; use “mediaTypes”" : "; remove it"
            throw element.refused("the server sets this field itself\(hint)")
        }
        throw element.refused("“\(Printable.text(value))” is not a header field's value: use printable ASCII")
    }

    func immutable(_ element: JSONElement) throws(BundleError) -> [PathPattern] {
        try limit(element, to: ManifestLimits.immutableCount, "path patterns", ManifestLimits.shorten)
        var patterns: [PathPattern] = []
        for element in try element.array() { patterns.append(try pattern(element, element.string())) }
        if isLimiting { try ManifestLimits.check(patterns, ofAtMost: ManifestLimits.immutableByteCount, in: element) }
        return patterns
    }

    func mediaTypes(_ element: JSONElement) throws(BundleError) -> [String: String] {
        try limit(element, to: ManifestLimits.mediaTypeCount, "file extensions", "leave out those that no file has")
        var types: [String: String] = [:]
        for (key, value) in try element.members() {
            guard isFileExtension(key) else {
                throw value.refused("“\(Printable.text(key))” is not a file extension: use lower case, without the dot")
            }
            types[key] = try mediaType(value)
        }
        return types
    }

    private func isFileExtension(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text == text.lowercased() && !text.utf8.contains(UInt8(ascii: "."))
            && (try? BundlePath(text))?.components.count == 1
    }

    private func mediaType(_ element: JSONElement) throws(BundleError) -> String {
        let text = try element.string()
        guard HTTPSyntax.isMediaType(text) else {
            throw element.refused("“\(Printable.text(text))” is not a media type, such as text/html or image/svg+xml")
        }
        return text
    }
}

// MARK: - What is forwarded to origins

extension BundleManifestParser {
    func forwardedFields(_ element: JSONElement) throws(BundleError) -> [String] {
        let elements = try element.array()
        guard elements.count <= BundleManifest.maximumForwardedFieldCount else {
            throw element.refused(
                "names over \(BundleManifest.maximumForwardedFieldCount) fields; name those that are needed"
            )
        }
        var names: [String] = []
        for element in elements {
            let name = try element.string()
            guard HTTPSyntax.isToken(name), name.utf8.count <= 64 else {
                throw element.refused("“\(Printable.text(name))” is not the name of a header field of at most 64 bytes")
            }
            guard !names.contains(where: { $0.lowercased() == name.lowercased() }) else {
                throw element.refused("“\(name)” is named twice; keep one")
            }
            names.append(name)
        }
        return names
    }
}

// MARK: - How responses of origins are cached

extension BundleManifestParser {
    func ignoredParameters(_ element: JSONElement) throws(BundleError) -> [ParameterPattern] {
        let elements = try element.array()
        guard elements.count <= BundleManifest.maximumIgnoredParameterCount else {
            throw element.refused(
                "names over \(BundleManifest.maximumIgnoredParameterCount) query parameters; "
                    + "cover several with “*” at the end of a name"
            )
        }
        var patterns: [ParameterPattern] = []
        for element in elements {
            let text = try element.string()
            guard let pattern = ParameterPattern(text) else {
                throw element.refused(
                    "“\(Printable.text(text))” is not the name of a query parameter: 1 to "
                        + "\(ParameterPattern.maximumByteCount) visible characters of ASCII without #, %, &, + and =, "
                        + "and “*” only at the end"
                )
            }
            guard !patterns.contains(pattern) else { throw element.refused("“\(text)” is named twice; keep one") }
            patterns.append(pattern)
        }
        return patterns
    }
}

extension BundleManifestParser {
    mutating func health(_ element: JSONElement) throws(BundleError) -> HealthTerms {
        try warn(about: element, besides: HealthTerms.Key.allCases.map(\.rawValue))
        let defaults = HealthTerms()
        let seconds = try element.member(HealthTerms.Key.within.rawValue).map(within) ?? defaults?.withinSeconds
        let starts = try element.member(HealthTerms.Key.starts.rawValue).map(starts) ?? defaults?.starts
        guard let seconds, let starts, let terms = HealthTerms(withinSeconds: seconds, starts: starts) else {
            throw element.refused("has a number out of its bounds")
        }
        return terms
    }

    mutating func pagesMayUpdate(_ element: JSONElement) throws(BundleError) -> Bool {
        try warn(about: element, besides: [Key.pagesMayUpdate])
        return try element.member(Key.pagesMayUpdate)?.boolean() ?? false
    }

    private func within(_ element: JSONElement) throws(BundleError) -> Int64 {
        let text = try element.string()
        guard let seconds = DurationText.seconds(in: text), (1...HealthTerms.maximumSeconds).contains(seconds) else {
            throw element.refused(
                "“\(Printable.text(text))” is not a duration from 1s to 1h, such as \"30s\" or \"5m\""
            )
        }
        return seconds
    }

    private func starts(_ element: JSONElement) throws(BundleError) -> Int {
        guard case .number(let number) = element.value else { throw element.mismatch("a number") }
        guard let starts = Int(number.text), (1...HealthTerms.maximumStarts).contains(starts) else {
            throw element.refused(
                "\(Printable.text(number.text)) is not a number of starts: use 1 to \(HealthTerms.maximumStarts)"
            )
        }
        return starts
    }
}
