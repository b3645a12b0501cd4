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
