import BundleStore
import Testing

@testable import BundleServer

@Suite("Idle bundles")
struct IdleBundlesTests {
    private let shop = BundleName("shop")
    private let news = BundleName("news")

    @Test("are those that nobody has asked for during the interval, from the first look on")
    func idle() {
        var idle = IdleBundles()
        #expect(!idle.isIdle(shop, for: .seconds(5), at: .seconds(100)))
        idle.take([shop: 3], of: [shop, news], at: .seconds(100))
        #expect(!idle.isIdle(shop, for: .seconds(5), at: .seconds(104)))
        idle.take([shop: 4], of: [shop, news], at: .seconds(104))
        #expect(!idle.isIdle(shop, for: .seconds(5), at: .seconds(108)))
        #expect(idle.isIdle(news, for: .seconds(5), at: .seconds(108)))
        idle.take([shop: 4], of: [shop], at: .seconds(109))
        #expect(idle.isIdle(shop, for: .seconds(5), at: .seconds(109)))
    }
}
