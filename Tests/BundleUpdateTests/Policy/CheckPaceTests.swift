import BundleUpdate
import Testing

@Suite("The pace of checks")
struct CheckPaceTests {
    @Test("each pause is the interval, with up to a tenth more or less, and the first one up to a tenth")
    func bounds() {
        let interval = Duration.seconds(1_000)
        let shortest = CheckPace(every: interval, random: \.lowerBound)
        let longest = CheckPace(every: interval, random: \.upperBound)
        for (pause, seconds) in [
            (shortest.firstDelay, 0), (shortest.delay, 900), (longest.firstDelay, 100), (longest.delay, 1_100),
        ] {
            #expect(abs(pause / .seconds(1) - Double(seconds)) < 0.001)
        }
    }

    @Test("each pause is another one")
    func fresh() {
        let pace = CheckPace(every: .seconds(1_000))
        let pauses = Set((0..<20).map { _ in pace.delay })
        #expect(pauses.count > 1)
        #expect(pauses.allSatisfy { (.seconds(899) ... .seconds(1_101)).contains($0) })
    }
}
