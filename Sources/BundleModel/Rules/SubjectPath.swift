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
