import BundleStore
import HTTPTypes

/// A request of the dashboard's page, below `/api/`.
enum DashboardCall: Equatable {
    /// `GET /api/state`: what is shown.
    case state
    /// `GET /api/events`: the same, again with each change.
    case events
    /// `GET /api/bundles/NAME/icon`: the icon of the release that is served.
    case icon(BundleName)
    /// `POST /api/bundles/NAME/activate` and the like.
    case action(DashboardAction, BundleName)

    private static let prefix = "/api/"

    /// Nil for any other target.
    init?(_ target: String?) {
        guard let target, target.hasPrefix(Self.prefix) else { return nil }
        let path = target.dropFirst(Self.prefix.count).prefix { $0 != "?" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch parts {
        case ["state"]: self = .state
        case ["events"]: self = .events
        default:
            guard parts.count == 3, parts[0] == "bundles", let name = BundleName(parts[1]) else { return nil }
            if parts[2] == "icon" {
                self = .icon(name)
            } else if let action = DashboardAction(rawValue: parts[2]) {
                self = .action(action, name)
            } else {
                return nil
            }
        }
    }

    var method: HTTPRequest.Method {
        if case .action = self { .post } else { .get }
    }
}
