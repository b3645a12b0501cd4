import BundleServing
import BundleStore
import HTTPTypes

/// A request of a page about its own bundle: below `/.bundles/`, on every host on which the bundle has pages.
struct PageCall: Equatable {
    /// What is asked for.
    enum Action: String, CaseIterable {
        /// `GET /.bundles/NAME`: the bundle's state.
        case state = ""
        /// `GET /.bundles/NAME/events`: the same, again with each change.
        case events
        /// `POST /.bundles/NAME/good`: the page works.
        case good
        /// `POST /.bundles/NAME/bad`: the page has an error.
        case bad

        var methods: [HTTPRequest.Method] {
            switch self {
            case .state: [.get, .head]
            case .events: [.get]
            case .good, .bad: [.post]
            }
        }
    }

    static let prefix = ResourceMatch.pageCallPrefix

    let name: BundleName
    let action: Action
    /// The version that the page says it is of, as in `?page=1.1.0`; nil when it says nothing.
    let page: String?

    /// Nil for the target of any other request.
    init?(_ target: String?) {
        guard let target, target.hasPrefix(Self.prefix) else { return nil }
        let rest = target.dropFirst(Self.prefix.count)
        let path = rest.prefix { $0 != "?" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let name = BundleName(String(parts[0])),
            let action = Action(rawValue: parts.count == 2 ? String(parts[1]) : ""),
            parts.count == 1 || action != .state
        else { return nil }
        (self.name, self.action) = (name, action)
        page = Self.page(rest.dropFirst(path.count + 1))
    }

    /// The first `page=` of a query; what can't be decoded is no version.
    private static func page(_ query: Substring) -> String? {
        let name = "page="
        return query.split(separator: "&").first { $0.hasPrefix(name) }
            .map { PercentEncoding.decode($0.dropFirst(name.count).utf8) ?? "" }
    }
}
