import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

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
        /// `POST /.bundles/NAME/update`: an update of the bundle is wanted.
        case update
        /// `POST /.bundles/NAME/activate`: what is installed, and waits for its activation, is wanted now.
        case activate

        var methods: [HTTPRequest.Method] {
            switch self {
            case .state: [.get, .head]
            case .events: [.get]
            case .good, .bad, .update, .activate: [.post]
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

/// How often pages have asked about their bundles. Thread-safe.
final class PageCallCounts: Sendable {
    /// By bundle; only the names of installed ones are counted.
    private let counts = Mutex<[BundleName: Int64]>([:])

    /// The numbers of calls so far. They only grow.
    var all: [BundleName: Int64] { counts.withLock(\.self) }

    /// Takes a call. A stream that a browser opens again by itself doesn't count: it says nothing of a user.
    func note(_ call: PageCall, _ request: HTTPRequest) {
        guard call.action != .events || !request.headerFields.contains(.lastEventID) else { return }
        counts.withLock { $0[call.name, default: 0] &+= 1 }
    }
}

extension HTTPField.Name {
    /// The last event that a browser got (WHATWG HTML, “Server-sent events”).
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}

/// Whether a page of the same origin makes a request. Pure.
enum PageOrigin {
    /// By `Sec-Fetch-Site`, which pages can't set; without it by `Origin`, which browsers add to each POST; a client that
    /// sends neither is no browser of this decade.
    ///
    /// - Parameter mayBeTyped: Whether a request that the user makes without a page counts too.
    static func isSame(_ request: HTTPRequest, mayBeTyped: Bool) -> Bool {
        let fields = request.headerFields
        if fields.contains(.secFetchSite) {
            return mayBeTyped ? NavigationRequest.isFromSameSite(request) : NavigationRequest.isFromSameOrigin(request)
        }
        return !isOther(request)
    }

    /// Whether a document of the same origin makes a request for a part of itself, or by a script. A client that names no such
    /// document has none, and what is fetched ahead of the user isn't shown yet.
    static func isPart(_ request: HTTPRequest) -> Bool {
        let fields = request.headerFields
        guard mayBePart(request), !NavigationRequest.isSpeculative(request) else { return false }
        if fields.contains(.secFetchSite) { return true }
        if fields.contains(.origin) { return !isOther(request) }
        guard let page = fields[.referer].flatMap(RequestTarget.init(url:)) else { return false }
        return page.authority == RequestTarget("/", host: request.authority)?.authority
    }

    /// The same as far as the deciding fields tell.
    static func mayBePart(_ request: HTTPRequest) -> Bool {
        !NavigationRequest.opensDocument(request) && !NavigationRequest.isForServiceWorker(request)
            && (!request.headerFields.contains(.secFetchSite) || NavigationRequest.isFromSameOrigin(request))
    }

    /// Whether `Origin` names another origin than the request's own, or none that can be told.
    ///
    /// - Parameter scheme: The scheme of the request's own origin; nil where a proxy in front may have another one.
    static func isOther(_ request: HTTPRequest, scheme: String? = nil) -> Bool {
        guard let origin = request.headerFields[.origin] else { return false }
        guard let page = RequestTarget(url: origin), let here = RequestTarget("/", host: request.authority) else {
            return true
        }
        return page.authority != here.authority || scheme.map { $0 != page.scheme } ?? false
    }
}
