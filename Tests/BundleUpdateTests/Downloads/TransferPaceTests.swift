import Testing

@testable import BundleUpdate

@Suite("The pace of a transfer")
struct TransferPaceTests {
    /// What happens to a transfer, at a second after its start.
    enum Event {
        case wait(Double)
        case arrive(Double, Int)
    }

    /// 1,000 bytes per second, patience for 30 s, an hour in all.
    private func slowness(after events: [Event], at seconds: Double) -> TransferPace.Slowness? {
        var pace = TransferPace(TransferLimits())
        pace.beginWaiting(at: .zero)
        for event in events {
            switch event {
            case .wait(let seconds): pace.beginWaiting(at: .seconds(seconds))
            case .arrive(let seconds, let count): pace.received(count, at: .seconds(seconds))
            }
        }
        return pace.slowness(at: .seconds(seconds))
    }

    @Test(
        "a transfer ends that is below the least rate for longer than its patience, and no other",
        arguments: [
            ([], 29.9, nil), ([], 30, .rate(1_000)),
            // A silence of 29 s, and then twice the least rate.
            ([.arrive(29, 0), .wait(29), .arrive(30, 2_000), .wait(30)], 31.9, nil),
            ([.arrive(29, 0), .wait(29), .arrive(30, 2_000), .wait(30)], 32, .rate(1_000)),
            // A tenth of the least rate.
            ([.arrive(10, 1_000), .wait(10), .arrive(20, 1_000), .wait(20)], 31.9, nil),
            ([.arrive(10, 1_000), .wait(10), .arrive(20, 1_000), .wait(20)], 32, .rate(1_000)),
            // What comes faster isn't saved up.
            ([.arrive(1, 1_000_000), .wait(1)], 30.9, nil), ([.arrive(1, 1_000_000), .wait(1)], 31, .rate(1_000)),
            // A disk that takes a minute for what has arrived.
            ([.arrive(1, 1_000)], 61, nil), ([.arrive(1, 1_000), .wait(61)], 90.9, nil),
            ([.arrive(1, 1_000_000)], 3_599, nil), ([.arrive(1, 1_000_000)], 3_600, .deadline(.seconds(3_600))),
        ] as [([Event], Double, TransferPace.Slowness?)]
    )
    func slow(_ events: [Event], _ seconds: Double, _ expected: TransferPace.Slowness?) {
        #expect(slowness(after: events, at: seconds) == expected)
    }

    @Test("without a least rate only the deadline ends it")
    func deadlineOnly() {
        var pace = TransferPace(.document)
        pace.beginWaiting(at: .zero)
        #expect(pace.interval(from: .zero) == .seconds(60))
        #expect(pace.slowness(at: .seconds(59)) == nil)
        #expect(pace.slowness(at: .seconds(60)) == .deadline(.seconds(60)))
    }

    @Test("it is asked again when it may be too slow, and at most once a second before its deadline")
    func intervals() {
        var pace = TransferPace(TransferLimits())
        pace.beginWaiting(at: .zero)
        #expect(pace.interval(from: .zero) == .seconds(30))
        #expect(pace.interval(from: .milliseconds(29_999)) == .seconds(1))
        pace.received(0, at: .milliseconds(29_999))
        #expect(pace.interval(from: .seconds(50)) == .seconds(1))
        #expect(pace.interval(from: .milliseconds(3_599_900)) == .milliseconds(100))
    }
}
