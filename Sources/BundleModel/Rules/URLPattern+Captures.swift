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
