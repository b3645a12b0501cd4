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

/// References from one path of a host to another.
///
/// A relative reference leads to the right place wherever a proxy in front has these paths, also below one that it removes
/// (RFC 9110 §10.2.2): what begins with a slash would lead out of it.
package enum RelativeReference {
    /// The reference with which a client that has asked for `path` gets to `target` (RFC 3986 §4.2). Pure.
    ///
    /// - Parameters:
    ///   - path: The path that was asked for, from its first slash on.
    ///   - target: A path with a slash in front, and perhaps a query and a fragment. Anything else, and a path with an empty
    ///     component, is returned as it is.
    package static func from(_ path: String, to target: String) -> String {
        let end = target.firstIndex { $0 == "?" || $0 == "#" } ?? target.endIndex
        let wanted = components(target[..<end])
        guard target.hasPrefix("/"), !wanted.dropLast().contains("") else { return target }
        let folder = components(path[...]).dropLast()
        let commonCount = zip(folder, wanted.dropLast()).prefix { $0 == $1 }.count
        let steps = repeatElement("..", count: folder.count - commonCount) + wanted.dropFirst(commonCount)
        // Otherwise the first could be taken for a scheme, or there would be nothing.
        let isPlain = steps.first.map { !$0.isEmpty && !$0.contains(":") } ?? false
        return (isPlain ? "" : "./") + steps.joined(separator: "/") + target[end...]
    }

    /// What follows each slash.
    private static func components(_ path: Substring) -> [Substring] {
        Array(path.split(separator: "/", omittingEmptySubsequences: false).dropFirst())
    }
}

extension PercentEncoding {
    /// Encodes what isn't allowed in a path or query (RFC 3986 §3.3, §3.4) and leaves everything else as it is.
    ///
    /// Browsers send `[`, `|` and others unencoded. Foundation's parser encodes them too, but then also every `%`, so
    /// that another resource would be requested from the origin.
    package static func completing(_ text: String) -> String {
        // Most need nothing.
        if text.utf8.allSatisfy({ isPathByte($0) }) { return text }
        let scalars = text.unicodeScalars
        var completed = String.UnicodeScalarView()
        for index in scalars.indices {
            let isAllowed = scalars[index] == "%" ? startsSequence(scalars[index...]) : isAllowed(scalars[index])
            if isAllowed {
                completed.append(scalars[index])
            } else {
                completed.append(contentsOf: encode(component: String(scalars[index])).unicodeScalars)
            }
        }
        return String(completed)
    }

    private static func startsSequence(_ scalars: Substring.UnicodeScalarView) -> Bool {
        let digits = scalars.dropFirst().prefix(2)
        return digits.count == 2 && digits.allSatisfy { $0.isASCII && $0.properties.isASCIIHexDigit }
    }

    /// `pchar` without percent-encoded sequences, and `/` and `?`.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        UInt8(exactly: scalar.value).map(isPathByte) ?? false
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case "-", ".", "_", "~", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=", ":", "@", "/", "?": true
        default: false
        }
    }
}
