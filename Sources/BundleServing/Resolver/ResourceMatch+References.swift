import BundleStore

/// References in an origin's responses, such as `Location`, as clients of this server need them.
extension ResourceMatch {
    /// The reference in place of one that an origin has sent: to this server for what lies below one of the bundle's
    /// origins, otherwise to where the origin meant.
    ///
    /// A client resolves a reference against the URL that it has asked for (RFC 9110 §10.2.2), whose path may be another
    /// one than the origin's. So a relative reference becomes one between paths of this server, or an absolute URL elsewhere. One
    /// that can't be read is left alone, and so is every absolute URL of a bundle that is asked for by that URL, and a path
    /// below what the origin has been told to be its prefix.
    ///
    /// - Parameters:
    ///   - reference: A URI reference (RFC 3986 §4.1).
    ///   - url: The absolute URL that was asked for at the origin.
    package func ownReference(for reference: String, from url: String) -> String {
        guard let target = ReferenceTarget(reference, base: url) else { return reference }
        if !target.isAbsolute, let prefix = forwardedPrefix(to: url), reference.hasPrefix(prefix + "/") {
            return reference
        }
        let isByOrigin = covering.target.mapping != nil
        if isByOrigin, url == originURL || target.isAbsolute { return reference }
        guard !isByOrigin, let path = ownPath(of: target) else { return target.isAbsolute ? reference : target.url }
        return RelativeReference.from(self.target.path, to: path + target.suffix)
    }

    /// The path on this server that stands for a URL; nil when there is none.
    private func ownPath(of target: ReferenceTarget) -> String? {
        guard !HiddenDotSegment.isPresent(in: target.components), let location = try? OriginURL(target.urlWithoutSuffix)
        else { return nil }
        let mappings = release.manifest.origins
            .filter { $0.origin.contains(location) }
            .sorted { $0.origin.components.count > $1.origin.components.count }
        for mapping in mappings {
            let folder = mapping.folder?.components.map(String.init) ?? []
            let depth = mapping.origin.components.count
            // Another mapping may have a deeper folder there, so that the path leads to another origin.
            guard originMapping(of: folder + location.components.dropFirst(depth)) == mapping else { continue }
            let rest = target.components.filter { !$0.isEmpty }.dropFirst(depth).map(String.init)
            let path = rootPath + (folder.map { PercentEncoding.encode(component: $0) } + rest).joined(separator: "/")
            return path.hasSuffix("/") || !target.isFolder ? path : path + "/"
        }
        return nil
    }
}

/// What a reference in a response leads to. A value type.
private struct ReferenceTarget {
    /// Scheme and authority.
    private let root: String
    /// The path's components as they were sent, without dot segments.
    let components: [Substring]
    let isFolder: Bool
    /// The query with its question mark and the fragment with its number sign.
    let suffix: String
    /// Whether the reference names scheme or host.
    let isAbsolute: Bool

    /// Resolves a reference (RFC 3986 §5.2). Nil when it isn't about an http or https URL, or only about a query or a
    /// fragment of the base.
    init?(_ reference: String, base: String) {
        guard reference.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let first = reference.first, first != "?", first != "#",
            let (baseRoot, basePath, _) = Self.split(base)
        else { return nil }
        let path: Substring
        if reference.hasPrefix("//") {
            guard let scheme = baseRoot.split(separator: ":").first,
                let (root, rest, suffix) = Self.split("\(scheme):\(reference)")
            else { return nil }
            (self.root, path, self.suffix, isAbsolute) = (root, rest, suffix, true)
        } else if Self.hasScheme(reference) {
            guard let (root, rest, suffix) = Self.split(reference) else { return nil }
            (self.root, path, self.suffix, isAbsolute) = (root, rest, suffix, true)
        } else {
            let (rest, suffix) = Self.splitSuffix(reference[...])
            let folder = basePath[...(basePath.lastIndex(of: "/") ?? basePath.startIndex)]
            path = first == "/" ? rest : folder + rest
            (root, self.suffix, isAbsolute) = (baseRoot, suffix, false)
        }
        (components, isFolder) = Self.withoutDotSegments(path)
    }

    var urlWithoutSuffix: String {
        root + "/" + components.joined(separator: "/") + (isFolder && !components.isEmpty ? "/" : "")
    }

    var url: String { urlWithoutSuffix + suffix }

    private static func hasScheme(_ reference: String) -> Bool {
        let end = reference.firstIndex { ":/?#".contains($0) }
        return end.map { reference[$0] == ":" } ?? false
    }

    private static func split(_ url: String) -> (root: String, path: Substring, suffix: String)? {
        guard (try? HTTPURL(url)) != nil, let slashes = url.firstRange(of: "://") else { return nil }
        let end = url[slashes.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        let (path, suffix) = splitSuffix(url[end...])
        return (String(url[..<end]), path.isEmpty ? "/" : path, suffix)
    }

    private static func splitSuffix(_ text: Substring) -> (path: Substring, suffix: String) {
        let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        return (text[..<end], String(text[end...]))
    }

    /// RFC 3986 §5.2.4, for an absolute path.
    private static func withoutDotSegments(_ path: Substring) -> (components: [Substring], isFolder: Bool) {
        let all = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var components: [Substring] = []
        for component in all.dropLast() where component != "." {
            if component == ".." { _ = components.popLast() } else { components.append(component) }
        }
        switch all.last {
        case "..": _ = components.popLast()
        case let last? where !last.isEmpty && last != ".":
            components.append(last)
            return (components, false)
        default: break
        }
        return (components, true)
    }
}
