import Foundation

/// A pattern for paths in a bundle, for example `/assets/*.js` or `/docs/**`.
///
/// It starts with `/` and is compared with the whole path, component by component. `*` stands for any characters within
/// one component, none included; `**` as a whole component stands for any number of components, none included, so `/**`
/// covers every file. Everything else stands for itself, case included, in Unicode normalisation form C; nothing is
/// percent-decoded.
///
/// A value type; safe to share between threads.
public struct PathPattern: Hashable, Sendable {
    /// The longest pattern in bytes of UTF-8.
    public static let maximumByteCount = 1_024
    /// The pattern that covers every path: `/**`.
    public static let everything = PathPattern(string: "/**", parts: [.anyComponents])

    private enum Part: Hashable, Sendable {
        case anyComponents
        case component(Wildcard)
    }

    /// The pattern as text.
    public let string: String

    private let parts: [Part]

    /// Returns nil when `string` doesn't start with `/`; has an empty, `.` or `..` component, a control character or a
    /// backslash, or `**` next to something else in a component; or has over 1,024 bytes or 64 components.
    public init?(_ string: String) {
        let normalised = string.precomposedStringWithCanonicalMapping
        guard normalised.utf8.first == UInt8(ascii: "/"), normalised.utf8.count <= PathPattern.maximumByteCount,
            // Without its slash a pattern obeys the rules of a path; `*` is a character like any other there.
            let path = try? BundlePath(String(Substring(normalised.utf8.dropFirst())))
        else { return nil }
        let parts = path.components.map(PathPattern.part)
        guard !parts.contains(nil) else { return nil }
        self.init(string: normalised, parts: parts.compactMap(\.self))
    }

    private init(string: String, parts: [Part]) {
        self.string = string
        self.parts = parts
    }

    /// Whether the pattern covers `path`. Takes time proportional to the lengths' product at worst, whatever the pattern.
    public func matches(_ path: BundlePath) -> Bool {
        WildcardMatch.matches(
            parts,
            path.components,
            isWildcard: { $0 == .anyComponents },
            matches: { part, component in
                guard case .component(let wildcard) = part else { return false }
                return wildcard.matches(component)
            }
        )
    }

    private static func part(_ component: Substring) -> Part? {
        if component.utf8.elementsEqual("**".utf8) { return .anyComponents }
        return Wildcard(component).map(Part.component)
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
