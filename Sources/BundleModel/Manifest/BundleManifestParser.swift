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
            health: try root.member(Key.health.rawValue).map { element throws(BundleError) in try health(element) }
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
