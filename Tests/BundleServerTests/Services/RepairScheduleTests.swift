import BundleStore
import Testing

@testable import BundleServer

@Suite("When repairs are tried")
struct RepairScheduleTests {
    private let shop: BundleName
    private let docs: BundleName

    init() throws {
        shop = BundleName("shop")
        docs = BundleName("docs")
    }

    @Test("immediately, and not again once nothing is damaged")
    func atOnce() {
        var schedule = RepairSchedule()
        #expect(schedule.due(at: .zero) == [])
        schedule.add([shop, docs])
        #expect(schedule.due(at: .zero) == [docs, shop])
        schedule.succeeded(docs)
        #expect(schedule.due(at: .zero) == [shop])
        schedule.succeeded(shop)
        #expect(schedule.due(at: .seconds(1_000_000)) == [])
    }

    @Test("with pauses that double up to a day while something is still damaged")
    func pauses() {
        var schedule = RepairSchedule()
        schedule.add([shop])
        var now = Duration.zero
        var pauses: [Int64] = []
        for _ in 0..<10 {
            schedule.failed(shop, at: now)
            // Reporting the same damage again changes nothing.
            schedule.add([shop])
            var pause: Int64 = 0
            while schedule.due(at: now + .seconds(pause)).isEmpty { pause += 600 }
            pauses.append(pause)
            now += .seconds(pause)
        }
        #expect(pauses == [600, 1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 76_800, 86_400, 86_400])
    }

    @Test("after a pause when the bundle was found intact before, and soon when another process held the lock")
    func soundAndBusy() {
        var schedule = RepairSchedule()
        schedule.add([shop])
        schedule.foundSound(shop, at: .zero)
        #expect(schedule.due(at: .seconds(1_000_000)) == [])
        schedule.add([shop])
        #expect(schedule.due(at: .seconds(599)) == [])
        #expect(schedule.due(at: .seconds(600)) == [shop])
        schedule.foundSound(shop, at: .seconds(600))
        schedule.add([shop])
        #expect(schedule.due(at: .seconds(1_799)) == [])
        #expect(schedule.due(at: .seconds(1_800)) == [shop])
        schedule.succeeded(shop)

        schedule.add([shop, nil])
        #expect(schedule.due(at: .zero) == [nil, shop])
        for second in [0, 10, 20] {
            #expect(schedule.due(at: .seconds(second)).contains(shop))
            schedule.wasBusy(shop, at: .seconds(second))
            #expect(!schedule.due(at: .seconds(second + 9)).contains(shop))
        }
        schedule.failed(shop, at: .seconds(30))
        #expect(!schedule.due(at: .seconds(629)).contains(shop))
        #expect(schedule.due(at: .seconds(630)).contains(shop))
    }
}
