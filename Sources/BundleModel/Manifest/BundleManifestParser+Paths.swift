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
