import BundleTesting
import Testing

@testable import ServerCore

@Suite("Countdown", .timeLimit(.minutes(5)))
struct CountdownTests {
    @Test("is awaited until the last one is done, even by a cancelled task")
    func cancelled() async throws {
        let steps = Monitor<[String]>([])
        let countdown = Countdown(2) { steps.update { $0.append("zero") } }
        let waiting = Task {
            await countdown.wait()
            steps.update { $0.append("waited") }
        }
        waiting.cancel()
        countdown.countDown()
        steps.update { $0.append("one left") }
        countdown.countDown()
        await waiting.value
        #expect(steps.state == ["one left", "zero", "waited"])
    }

    @Test("isn't awaited when all are done")
    func over() async {
        let zeros = Monitor(0)
        let countdown = Countdown(1) { zeros.update { $0 += 1 } }
        countdown.countDown()
        await countdown.wait()
        #expect(zeros.state == 1)
    }
}
