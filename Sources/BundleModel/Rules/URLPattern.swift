/// A pattern for the requests of a bundle, in one of three forms:
///
/// - `/api/**`: the path in the bundle, as a ``PathPattern``, which `headers` and `fallback.routes` have too; `/` alone
///   is the bundle's root.
/// - `*.mp4`, without a slash: the last component of the path, whatever folder it is in; the same as `/**/*.mp4`.
/// - `https://cdn.example/img/**`: the URL on the network. Scheme, host and port are literal; a component is
///   percent-decoded, and must not contain `%2A` or `%2F`.
///
/// A value type; safe to share between threads.
package struct URLPattern: Hashable, Sendable {
    /// What a wildcard stands for.
    enum Wildcards: Equatable {
        case characters
        case components
    }

    /// As it was written.
    package let string: String
    /// As ``OriginURL/root``; nil for a path in the bundle.
    package let origin: String?
    let path: PathPattern

    /// Returns nil for any other form, and for over 1,024 bytes.
    package init?(_ string: String) {
        guard string.utf8.count <= PathPattern.maximumByteCount, let (origin, path) = Self.parts(of: string)
        else { return nil }
        self.string = string
        self.origin = origin
        self.path = path
    }

    private static func parts(of string: String) -> (origin: String?, path: PathPattern)? {
        if string == "/" { return (nil, .root) }
        if string.contains("://") { return urlParts(of: string) }
        let isPath = string.utf8.contains(UInt8(ascii: "/"))
        return PathPattern(isPath ? string : "/**/\(string)").map { (nil, $0) }
    }

    private static func urlParts(of string: String) -> (origin: String?, path: PathPattern)? {
        guard let url = try? HTTPURL(string), !url.hasQuery, !url.hasFragment else { return nil }
        let text = Substring(url.path).lowercased()
        guard !text.contains("%2a"), !text.contains("%2f"), let decoded = PercentEncoding.decode(url.path)
        else { return nil }
        let path = decoded.isEmpty || decoded == "/" ? PathPattern.root : PathPattern(decoded)
        let port = url.port.map { ":\($0)" } ?? ""
        return path.map { ("\(url.scheme.rawValue)://\(url.host)\(port)", $0) }
    }

    /// Whether the pattern covers the request. The time is proportional to the length of the path or URL, times the
    /// number of components between two `**`.
    package func covers(_ subject: PatternSubject) -> Bool {
        guard let origin else { return path.covers(subject.path.components) }
        return origin == subject.origin && path.covers(subject.urlPath.components)
    }

    /// Whether it covers every request.
    var coversEverything: Bool { origin == nil && (path == .everything || string == "**") }

    /// What its wildcards are, in their order.
    var wildcards: [Wildcards] {
        Array(
            path.runs
                .map { run in run.flatMap { Array(repeating: Wildcards.characters, count: $0.literals.count - 1) } }
                .joined(separator: [.components])
        )
    }

    /// The components before the first one with a wildcard.
    var leadingComponents: [String] {
        (path.runs.first ?? []).prefix { $0.isLiteral }.map { String(decoding: $0.literals[0].bytes, as: UTF8.self) }
    }

    /// Whether it says where the path or URL starts.
    var isRooted: Bool { string.utf8.contains(UInt8(ascii: "/")) }

    /// Whether everything that it covers lies below the mapping's origin.
    func lies(in mapping: OriginMapping) -> Bool {
        guard let origin else {
            return leadingComponents.starts(with: mapping.folder?.components.map(String.init) ?? [])
        }
        return origin == mapping.origin.root && leadingComponents.starts(with: mapping.origin.components)
    }
}

/// What ``URLPattern``s are compared with: the place of a request in its bundle, and its URL on the network. A value
/// type; safe to share between threads.
package struct PatternSubject: Sendable {
    /// The path in the bundle.
    let path: SubjectPath
    /// The URL's scheme, host and port, as ``OriginURL/root``; nil when no origin covers the path.
    let origin: String?
    /// The URL's path.
    let urlPath: SubjectPath

    /// - Parameters:
    ///   - path: The path in the bundle.
    ///   - origin: As ``OriginURL/root``; nil when no origin covers the path.
    ///   - urlPath: The URL's path.
    package init(path: SubjectPath, origin: String?, urlPath: SubjectPath) {
        self.path = path
        self.origin = origin
        self.urlPath = urlPath
    }

    /// Whether the last component ends so, without regard to the case of ASCII letters.
    ///
    /// - Parameter suffix: In lower case.
    func hasSuffix(_ suffix: String) -> Bool {
        guard let name = path.components.last, name.count >= suffix.utf8.count else { return false }
        return zip(name.suffix(suffix.utf8.count), suffix.utf8).allSatisfy { byte, expected in
            byte == expected || ASCII.isUppercase(byte) && byte | 0x20 == expected
        }
    }
}

/// A path that patterns are compared with, in both forms. A value type; safe to share between threads.
package struct SubjectPath: Sendable {
    /// The components, percent-decoded and in Unicode normalisation form C.
    let components: [ArraySlice<UInt8>]
    /// The same components, percent-encoded as they were sent.
    let encoded: [String]

    /// - Parameters:
    ///   - components: Percent-decoded, in Unicode normalisation form C.
    ///   - encoded: The same components, percent-encoded; nil to encode them.
    package init(_ components: [String], encoded: [String]? = nil) {
        self.components = components.map { ArraySlice($0.utf8) }
        self.encoded = encoded ?? components.map { PercentEncoding.encode(component: $0) }
    }

    /// What a wildcard stands for, percent-encoded as it was sent.
    func encoded(_ capture: PathCapture) -> [String] {
        switch capture {
        case .components(let range): Array(encoded[range])
        case .characters(let index, let range): [encoded(range, ofComponent: index)]
        }
    }

    private func encoded(_ range: Range<Int>, ofComponent index: Int) -> String {
        let (component, sent) = (components[index], Array(encoded[index].utf8))
        guard range != component.indices else { return encoded[index] }
        // Where normalisation has changed the bytes, their places in what was sent aren't known.
        guard PercentEncoding.decode(sent)?.utf8.elementsEqual(component) == true else {
            return PercentEncoding.encode(segment: component.dropFirst(range.lowerBound).prefix(range.count))
        }
        var starts: [Int] = []
        var position = 0
        while position < sent.count {
            starts.append(position)
            position += sent[position] == UInt8(ascii: "%") ? 3 : 1
        }
        starts.append(position)
        return String(decoding: sent[starts[range.lowerBound]..<starts[range.upperBound]], as: UTF8.self)
    }
}

/// URLs that are requested in place of others: what the wildcards of ``from`` stand for takes the place of those of
/// ``to``, in their order.
///
/// A value type; safe to share between threads.
package struct URLRewrite: Equatable, Sendable {
    /// The keys of a rewrite.
    enum Key: String, CaseIterable {
        case from
        case to
    }

    /// The URLs that are replaced.
    package let from: URLPattern
    /// What replaces them, with the same wildcards in the same order.
    package let to: URLPattern

    /// Returns nil when the patterns' wildcards differ.
    package init?(from: URLPattern, to: URLPattern) {
        guard from.wildcards == to.wildcards else { return nil }
        self.from = from
        self.to = to
    }
}

/// What a wildcard of a pattern stands for in a path.
enum PathCapture: Equatable {
    /// `*`: bytes of the component with this index.
    case characters(Int, Range<Int>)
    /// `**`: the components with these indices.
    case components(Range<Int>)
}

extension URLRewrite {
    /// The components of the path that ``to`` makes of a request, percent-encoded; nil when ``from`` doesn't cover the
    /// request. Wildcards stand for as little as possible, from the left.
    package func components(replacing subject: PatternSubject) -> [String]? {
        let path = from.origin == nil ? subject.path : subject.urlPath
        guard from.origin == nil || from.origin == subject.origin,
            let captures = from.path.captures(in: path.components)
        else { return nil }
        return to.path.components(filledWith: captures.map(path.encoded))
    }
}

extension PathPattern {
    fileprivate func captures(in components: [ArraySlice<UInt8>]) -> [PathCapture]? {
        var starts: [Int] = []
        guard covers(components, found: { starts.append($0) }), starts.count == runs.count else { return nil }
        var captures: [PathCapture] = []
        var end = 0
        for (index, (run, start)) in zip(runs, starts).enumerated() {
            if index > 0 { captures.append(.components(end..<start)) }
            end = start + run.count
            for (place, wildcard) in zip(start..<end, run) {
                captures += wildcard.stars(in: components[place]).map { .characters(place, $0) }
            }
        }
        return captures
    }
}

extension PathPattern {
    /// The components, percent-encoded, with `values` in place of the wildcards in their order: one component for `*`,
    /// any number for `**`.
    fileprivate func components(filledWith values: [[String]]) -> [String] {
        var values = values[...]
        var components: [String] = []
        for (index, run) in runs.enumerated() {
            if index > 0 { components += values.popFirst() ?? [] }
            for wildcard in run { components.append(wildcard.text(filledWith: &values)) }
        }
        return components
    }
}

extension Wildcard {
    /// The bytes that each star stands for in a component that matches, counted from its start.
    fileprivate func stars(in component: ArraySlice<UInt8>) -> [Range<Int>] {
        guard literals.count > 1, let first = literals.first, let last = literals.last else { return [] }
        let offset = component.startIndex
        var rest = component.dropFirst(first.byteCount).dropLast(last.byteCount)
        var ranges: [Range<Int>] = []
        for literal in literals.dropFirst().dropLast() {
            guard let end = literal.end(in: rest) else { return [] }
            ranges.append(rest.startIndex - offset..<end - literal.byteCount - offset)
            rest = rest[end...]
        }
        return ranges + [rest.startIndex - offset..<rest.endIndex - offset]
    }

    fileprivate func text(filledWith values: inout ArraySlice<[String]>) -> String {
        var text = ""
        for (index, literal) in literals.enumerated() {
            if index > 0 { text += values.popFirst()?.joined() ?? "" }
            text += PercentEncoding.encode(segment: literal.bytes)
        }
        return text
    }
}

extension PercentEncoding {
    /// Encodes what a component of a path can't have as it is: all but `pchar` (RFC 3986 §3.3).
    static func encode(segment bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).unicodeScalars
            .map { "!$&'()*+,;=:@".unicodeScalars.contains($0) ? String($0) : encode(component: String($0)) }
            .joined()
    }
}
