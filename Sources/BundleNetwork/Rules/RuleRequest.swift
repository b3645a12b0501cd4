import BundleServing
import BundleStore
import HTTPTypes

/// A request that a bundle lacks, as far as network rules look at it. A value type; safe to share between threads.
package struct RuleRequest: Sendable {
    let method: String
    let kind: RequestKind
    /// The origin under which ``url`` lies; nil when none covers the path.
    let origin: OriginURL?
    /// The query with its question mark, or empty.
    let query: String
    /// Whether the path ends in a slash.
    let isFolder: Bool
    let subject: PatternSubject

    /// - Parameters:
    ///   - request: The client's request.
    ///   - path: The components of the path in the bundle, decoded.
    ///   - url: Its absolute URL below one of the bundle's origins; nil when none covers the path.
    package init(_ request: HTTPRequest, path: [String], url: String?) {
        // The query isn't compared, so that a pattern is independent of it.
        let location = url.map { $0.prefix { $0 != "?" } }
        method = request.method.rawValue
        kind = RequestKind(of: request)
        origin = location.flatMap { try? OriginURL(String($0)) }
        query = url.flatMap { url in location.map { String(url[$0.endIndex...]) } } ?? ""
        isFolder = location?.utf8.last == UInt8(ascii: "/")
        let encoded = location.map(Self.encodedComponents) ?? []
        let isParallel = encoded.count == origin?.components.count
        // Below the origin, both paths have the same components, which are wanted as they were sent.
        let common = isParallel ? Self.commonSuffixCount(origin?.components ?? [], path) : 0
        subject = PatternSubject(
            path: SubjectPath(
                path,
                encoded: path.dropLast(common).map { PercentEncoding.encode(component: $0) } + encoded.suffix(common)
            ),
            origin: origin?.root,
            urlPath: SubjectPath(origin?.components ?? [], encoded: isParallel ? encoded : nil)
        )
    }

    /// The same for what a look-up has found.
    package init(_ request: HTTPRequest, _ match: ResourceMatch) {
        self.init(request, path: match.innerComponents, url: match.originURL)
    }

    private static func encodedComponents(of url: Substring) -> [String] {
        guard let url = try? HTTPURL(String(url)) else { return [] }
        return url.path.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    private static func commonSuffixCount(_ one: [String], _ other: [String]) -> Int {
        zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
    }
}

extension RequestKind {
    /// The kind of a request: by `Sec-Fetch-Dest`, and without it a navigation or ``other``.
    init(of request: HTTPRequest) {
        if let destination = NavigationRequest.destination(of: request) {
            self.init(destination: destination)
        } else {
            self = NavigationRequest.isNavigation(request) ? .navigation : .other
        }
    }
}
