import BundleStore
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("Requests of the dashboard")
struct DashboardCallTests {
    private static let shop = BundleName("shop")

    @Test(
        arguments: [
            ("/api/state", .state), ("/api/state?x", .state), ("/api/events", .events),
            ("/api/bundles/shop/icon", .icon(shop)), ("/api/bundles/shop/activate", .action(.activate, shop)),
            ("/api/bundles/shop/rollback", .action(.rollback, shop)),
            ("/api/bundles/shop/update", .action(.update, shop)),
            ("/api/bundles/shop/mark-good", .action(.markGood, shop)),
            ("/api/bundles/shop/mark-bad", .action(.markBad, shop)),
        ] as [(String, DashboardCall)]
    )
    func `are known by their target`(_ target: String, _ call: DashboardCall) {
        #expect(DashboardCall(target) == call)
    }

    @Test(arguments: [
        nil, "", "/", "/api", "/api/", "/api/State", "/api/state/", "/api/bundles", "/api/bundles/shop",
        "/api/bundles/shop/",
        "/api/bundles/shop/remove", "/api/bundles/shop/markBad", "/api/bundles/shop/activate/x",
        "/api/bundles//activate",
        "/api/bundles/a%2fb/activate",
        "/api/bundles/../activate", "/api/bundles/<b>/activate", "/shop/activate",
    ])
    func `are nothing else`(_ target: String?) {
        #expect(DashboardCall(target) == nil)
    }

    @Test func `change something with POST alone`() {
        for action in DashboardAction.allCases { #expect(DashboardCall.action(action, Self.shop).method == .post) }
        for call in [DashboardCall.state, .events, .icon(Self.shop)] { #expect(call.method == .get) }
    }
}
