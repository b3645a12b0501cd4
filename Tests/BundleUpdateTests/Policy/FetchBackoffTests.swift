import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleUpdate

@Suite("The back-off of what can't be fetched")
struct FetchBackoffTests {
    private let now = TestClock().date

    @Test(
        "the pause doubles from five minutes to an hour, and is shortened at random by up to a half",
        arguments: [
            (0, 0, 300), (1, 0, 600), (2, 0, 1_200), (3, 0, 2_400), (4, 0, 3_600), (100, 0, 3_600),
            (Int(Int32.max), 0, 3_600), (0, 0.5, 225), (0, 1, 150), (4, 1, 1_800),
        ] as [(Int, Double, Double)]
    )
    func pauses(_ failures: Int, _ random: Double, _ pause: Double) {
        let earlier = failures > 0 ? FetchRetry(failureCount: failures, failedAt: now, nextAt: now) : nil
        let retry = FetchBackoff.retry(after: earlier, requested: nil, now: now, random: random)
        #expect(retry.nextAt == now + pause)
        #expect(retry.failedAt == now)
        #expect(retry.failureCount == min(failures + 1, Int(Int32.max)))
    }

    @Test(
        "what was fetched and can't be used waits from an hour to a day",
        arguments: [(0, 1), (1, 2), (4, 16), (5, 24)]
    )
    func refused(_ failures: Int, _ hours: Double) {
        let earlier = failures > 0 ? FetchRetry(failureCount: failures, failedAt: now, nextAt: now) : nil
        #expect(
            FetchBackoff.retry(after: earlier, .refused, requested: nil, now: now, random: 0).pause == hours * 3_600
        )
    }

    @Test("what the server asks for is the least", arguments: [(0, 300), (299, 300), (400, 400), (86_400, 86_400)])
    func requested(_ seconds: Double, _ pause: Double) {
        let retry = FetchBackoff.retry(after: nil, requested: seconds, now: now, random: 0)
        #expect(retry.nextAt == now + pause)
    }
}
