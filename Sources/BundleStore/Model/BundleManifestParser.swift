extension BundleManifest {
    /// Reads `bundle.json`.
    ///
    /// - Parameter json: The file's bytes: JSON in UTF-8, at most 1 MiB.
    /// - Throws: ``BundleError`` with code `invalidManifest` when the text is too long, isn't JSON or has a key twice; when
    ///   `name`, `version` or `origins` is missing; or when a key's value is wrong, or has more patterns, extensions or URLs
    ///   than are allowed. The message names the key and its place. That the files named exist in the bundle is not checked
    ///   here.
    public static func parse(_ json: [UInt8]) throws(BundleError) -> ParsedManifest {
        try parse(json, limiting: true)
    }

    /// Reads a manifest from the store; it may have been installed before there were limits.
    static func parse(stored json: [UInt8]) throws(BundleError) -> BundleManifest {
        try parse(json, limiting: false).manifest
    }

    private static func parse(_ json: [UInt8], limiting: Bool) throws(BundleError) -> ParsedManifest {
        let root = try JSONElement(
            parsing: json,
            named: fileName,
            maximumByteCount: maximumByteCount,
            refusedAs: .invalidManifest
        )
        var parser = BundleManifestParser(isLimiting: limiting)
        let manifest = try parser.manifest(root)
        return ParsedManifest(manifest: manifest, warnings: parser.warnings)
    }
}

/// Reads the keys of a manifest one by one, and collects a warning for each that it doesn't know.
private struct BundleManifestParser {
    typealias Key = BundleManifest.Key

    let isLimiting: Bool
    private(set) var warnings: [String] = []

    init(isLimiting: Bool) {
        self.isLimiting = isLimiting
    }

    mutating func manifest(_ root: JSONElement) throws(BundleError) -> BundleManifest {
        try warn(about: root, besides: Key.allCases.map(\.rawValue) + [Key.schemaReference])
        return BundleManifest(
            name: try name(root.required(Key.name.rawValue)),
            version: try version(root.required(Key.version.rawValue)),
            origins: try origins(root.required(Key.origins.rawValue)),
            entry: try root.member(Key.entry.rawValue).map(file) ?? BundleManifest.defaultEntry,
            fallback: try fallback(root.member(Key.fallback.rawValue)),
            offlinePage: try root.member(Key.offlinePage.rawValue).map(file),
            headers: try headers(root.member(Key.headers.rawValue)),
            mediaTypes: try root.member(Key.mediaTypes.rawValue).map(mediaTypes) ?? [:],
            forwardedFields: try root.member(Key.forwardedFields.rawValue).map(forwardedFields) ?? [],
            feed: try root.member(Key.feed.rawValue).map(feed),
            channel: try root.member(Key.channel.rawValue).map(channel) ?? BundleManifest.defaultChannel
        )
    }

    private mutating func warn(about element: JSONElement, besides known: [String]) throws(BundleError) {
        for (key, member) in try element.members() where !known.contains(key) {
            warnings.append("\(BundleManifest.fileName): \(member.path): this key is not known and is ignored")
        }
    }
}

// MARK: - What the bundle is

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

    private mutating func origins(_ element: JSONElement) throws(BundleError) -> [OriginMapping] {
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

// MARK: - What answers

extension BundleManifestParser {
    private func file(_ element: JSONElement) throws(BundleError) -> BundlePath {
        try path(element, element.string())
    }

    /// Nil for the bundle's root, which no path stands for.
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
        return try path(element, String(Substring(inner)))
    }

    private func path(_ element: JSONElement, _ text: String) throws(BundleError) -> BundlePath {
        do {
            return try BundlePath(text)
        } catch {
            throw element.refused("\(error)", cause: error)
        }
    }

    private mutating func fallback(_ element: JSONElement?) throws(BundleError) -> RouteFallback? {
        guard let element else { return nil }
        try warn(about: element, besides: RouteFallback.Key.allCases.map(\.rawValue))
        let file = try file(element.required(RouteFallback.Key.file.rawValue))
        guard let routes = try element.member(RouteFallback.Key.routes.rawValue) else {
            return RouteFallback(file: file)
        }
        try limit(routes, to: ManifestLimits.routeCount, "path patterns", ManifestLimits.shorten)
        let patterns = try routes.array().map(route)
        if isLimiting { try ManifestLimits.check(patterns, ofAtMost: ManifestLimits.routeByteCount, in: routes) }
        return RouteFallback(file: file, routes: patterns)
    }

    private func limit(
        _ element: JSONElement,
        to count: Int,
        _ what: String,
        _ advice: String
    ) throws(BundleError) {
        if isLimiting { try ManifestLimits.check(element, atMost: count, what, advice: advice) }
    }

    private func route(_ element: JSONElement) throws(BundleError) -> PathPattern {
        try pattern(element, element.string())
    }

    private func pattern(_ element: JSONElement, _ text: String) throws(BundleError) -> PathPattern {
        guard let pattern = PathPattern(text) else {
            throw element.refused(
                "“\(Printable.text(text))” is not a path pattern: start with “/”, use “*” within a name and “**” for folders"
            )
        }
        return pattern
    }
}

// MARK: - How it is sent

extension BundleManifestParser {
    private mutating func headers(_ element: JSONElement?) throws(BundleError) -> [HeaderRule] {
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
                warnings.append(
                    "\(BundleManifest.fileName): \(value.path): this field speaks for more than the bundle and is not sent; "
                        + "remove it"
                )
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

    private func mediaTypes(_ element: JSONElement) throws(BundleError) -> [String: String] {
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
    private func forwardedFields(_ element: JSONElement) throws(BundleError) -> [String] {
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

// MARK: - Where updates come from

extension BundleManifestParser {
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
