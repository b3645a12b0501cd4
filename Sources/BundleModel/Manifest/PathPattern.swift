import Foundation

/// A pattern for paths in a bundle, for example `/assets/*.js` or `/docs/**`.
///
/// It starts with `/` and is compared with the whole path, component by component. `*` stands for any characters within
/// one component, including none; `**` as a whole component stands for any number of components, including none, so
/// `/**` covers every file. Everything else matches literally and case-sensitively, in Unicode normalisation form C;
/// nothing is percent-decoded.
///
/// A value type; safe to share between threads.
public struct PathPattern: Hashable, Sendable {
    /// The maximum length of a pattern in bytes of UTF-8.
    public static let maximumByteCount = 1_024
    /// The pattern that covers every path: `/**`.
    public static let everything = PathPattern(string: "/**", runs: [[], []])
    /// The pattern that covers the root alone, which no file has as its path.
    static let root = PathPattern(string: "/", runs: [[]])

    /// The pattern as text.
    public let string: String

    /// The components before, between and after each `**`; all components if there is none.
    let runs: [[Wildcard]]

    /// Returns nil when `string` doesn't start with `/`; has an empty, `.` or `..` component, a control character or a
    /// backslash, or `**` next to something else in a component; or has over 1,024 bytes or 64 components.
    public init?(_ string: String) {
        let normalised = string.precomposedStringWithCanonicalMapping
        guard normalised.utf8.first == UInt8(ascii: "/"), normalised.utf8.count <= PathPattern.maximumByteCount,
            // Without its slash a pattern follows the rules of a path, in which `*` is an ordinary character.
            let path = try? BundlePath(String(Substring(normalised.utf8.dropFirst())))
        else { return nil }
        var runs: [[Wildcard]] = [[]]
        for component in path.components {
            if component.utf8.elementsEqual("**".utf8) {
                runs.append([])
            } else {
                guard let wildcard = Wildcard(component) else { return nil }
                runs[runs.count - 1].append(wildcard)
            }
        }
        self.init(string: normalised, runs: runs)
    }

    private init(string: String, runs: [[Wildcard]]) {
        self.string = string
        self.runs = runs
    }

    /// Equal if the texts are equal.
    public static func == (left: PathPattern, right: PathPattern) -> Bool { left.string == right.string }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(string) }

    /// Whether the pattern covers `path`. For any pattern, takes time proportional to the path's length times the
    /// number of components between two `**`.
    public func matches(_ path: BundlePath) -> Bool {
        path.withComponents { covers($0) }
    }

    /// The only path that the pattern covers; nil when it has a wildcard.
    var onlyPath: String? {
        let isLiteral = runs.count == 1 && runs[0].allSatisfy { $0.isLiteral }
        return isLiteral ? String(Substring(string.utf8.dropFirst())) : nil
    }

    /// Whether the pattern covers the path with these components.
    ///
    /// Each run of components is matched at its first occurrence, which leaves the most to the following ones.
    func covers<Bytes: RandomAccessCollection<UInt8>>(_ components: [Bytes]) -> Bool where Bytes.SubSequence == Bytes {
        covers(components) { _ in }
    }

    /// The same.
    ///
    /// - Parameter found: Called with the first component's position of each run, in order; of no use when the result is
    ///   false.
    func covers<Bytes: RandomAccessCollection<UInt8>>(
        _ components: [Bytes],
        found: (_ start: Int) -> Void
    ) -> Bool where Bytes.SubSequence == Bytes {
        guard let first = runs.first, let last = runs.last else { return false }
        found(0)
        guard runs.count > 1 else { return first.count == components.count && Self.matches(first, components[...]) }
        guard first.count + last.count <= components.count,
            Self.matches(first, components.prefix(first.count)), Self.matches(last, components.suffix(last.count))
        else { return false }
        var rest = components.dropFirst(first.count).dropLast(last.count)
        for run in runs.dropFirst().dropLast() {
            guard let end = Self.end(of: run, in: rest) else { return false }
            found(end - run.count)
            rest = rest[end...]
        }
        found(components.count - last.count)
        return true
    }

    /// The end of the run's first occurrence in `components`, or nil.
    private static func end<Bytes: RandomAccessCollection<UInt8>>(
        of run: [Wildcard],
        in components: ArraySlice<Bytes>
    ) -> Int? where Bytes.SubSequence == Bytes {
        guard run.count <= components.count else { return nil }
        let starts = components.startIndex...components.endIndex - run.count
        return starts.first { matches(run, components[$0..<$0 + run.count]) }.map { $0 + run.count }
    }

    /// Whether each component matches its wildcard; their numbers must be equal.
    private static func matches<Bytes: RandomAccessCollection<UInt8>>(
        _ run: [Wildcard],
        _ components: ArraySlice<Bytes>
    ) -> Bool where Bytes.SubSequence == Bytes {
        zip(run, components).allSatisfy { $0.matches($1) }
    }
}

extension PathPattern: Comparable {
    /// Orders from the general to the specific: fewer literal bytes first, then more wildcards, then by the bytes of UTF-8.
    public static func < (left: PathPattern, right: PathPattern) -> Bool {
        let (mine, other) = (left.specificity, right.specificity)
        return mine == other ? left.string.utf8.lexicographicallyPrecedes(right.string.utf8) : mine < other
    }

    private var specificity: (literals: Int, wildcards: Int) {
        let wildcards = string.utf8.count { $0 == UInt8(ascii: "*") }
        let slashes = string.utf8.count { $0 == UInt8(ascii: "/") }
        return (string.utf8.count - wildcards - slashes, -wildcards)
    }
}

extension PathPattern: CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }
}
