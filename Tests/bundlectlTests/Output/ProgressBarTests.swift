import BundleStore
import BundleTesting
import Synchronization
import Testing

@testable import bundlectl

struct ProgressBarTests {
    /// Collects what is drawn.
    private final class Screen: Sendable {
        private let texts = Mutex<[String]>([])

        var drawn: [String] { texts.withLock { $0 } }

        var terminal: Terminal {
            Terminal(width: 80) { [self] text in texts.withLock { $0.append(text) } }
        }
    }

    @Test("work that takes less than half a second shows nothing")
    func fast() {
        let (screen, clock) = (Screen(), TestClock())
        let bar = ProgressBar("working", on: screen.terminal, clock: clock)
        clock.advance(by: .milliseconds(499))
        bar.update(ByteProgress(done: 1, total: 2))
        bar.finish()
        #expect(screen.drawn.isEmpty)
    }

    @Test("longer work is drawn ten times a second at most, and erased at the end")
    func slow() {
        let (screen, clock) = (Screen(), TestClock())
        let bar = ProgressBar("working", on: screen.terminal, clock: clock)
        clock.advance(by: .milliseconds(500))
        bar.update(ByteProgress(done: 1, total: 4))
        bar.update(ByteProgress(done: 2, total: 4))
        clock.advance(by: .milliseconds(100))
        bar.update(ByteProgress(done: 3, total: 4))
        bar.finish()
        bar.finish()
        #expect(screen.drawn.count == 3)
        #expect(screen.drawn.first?.contains("25%") == true)
        #expect(screen.drawn.dropFirst().first?.contains("75%") == true)
        #expect(screen.drawn.last == "\r\u{1B}[K")
    }

    @Test("each part of the work is named, and shown when it takes more than half a second itself")
    func parts() {
        let (screen, clock) = (Screen(), TestClock())
        let bar = ProgressBar("updating", on: screen.terminal, clock: clock)
        clock.advance(by: .milliseconds(500))
        bar.update(ByteProgress(done: 1, total: 2), of: "docs")
        bar.finish("docs")
        bar.update(ByteProgress(done: 1, total: 2), of: "shop")
        #expect(screen.drawn.count == 2)
        clock.advance(by: .milliseconds(500))
        bar.update(ByteProgress(done: 1, total: 2), of: "shop")
        #expect(screen.drawn.count == 3)
        #expect(screen.drawn.first?.contains("updating docs [") == true)
        #expect(screen.drawn.last?.contains("updating shop [") == true)
    }

    @Test("parts that go on side by side are in one line, and the end of one doesn't set it back")
    func sideBySide() {
        let (screen, clock) = (Screen(), TestClock())
        let bar = ProgressBar("updating", on: screen.terminal, clock: clock)
        bar.update(ByteProgress(done: 0, total: 100), of: "docs")
        clock.advance(by: .milliseconds(500))
        bar.update(ByteProgress(done: 50, total: 100), of: "shop")
        #expect(screen.drawn.last?.contains("updating 2 bundles [") == true)
        #expect(screen.drawn.last?.contains(" 25%") == true)
        bar.finish("shop")
        clock.advance(by: .milliseconds(1_000))
        bar.update(ByteProgress(done: 20, total: 100), of: "docs")
        #expect(screen.drawn.last?.contains("updating docs [") == true)
        #expect(screen.drawn.last?.contains(" 60% 70 B/s 2 s left") == true)
    }

    @Test("without a terminal the clock isn't read after the start")
    func noTerminal() {
        let (clock, looks) = (TestClock(), Monitor(0))
        clock.onLook = { looks.update { $0 += 1 } }
        let bar = ProgressBar("working", on: nil, clock: clock)
        clock.advance(by: .seconds(10))
        bar.update(ByteProgress(done: 1, total: 2))
        bar.finish()
        #expect(looks.state == 1)
    }
}
