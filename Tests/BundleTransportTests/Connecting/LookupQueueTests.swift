import Testing

@testable import BundleTransport

@Suite("The order of look-ups")
struct LookupQueueTests {
    /// Looks up what may be looked up.
    private final class Lookups {
        private var queue = LookupQueue()

        /// Returns whether all may wait.
        func add(_ names: [String]) -> Bool { names.map { queue.add($0) }.allSatisfy(\.self) }

        func remove(_ names: [String]) {
            for name in names { queue.remove(name) }
        }

        /// Returns those that begin.
        func start(at second: Int = 0) -> [String] {
            var names: [String] = []
            while let name = queue.next(at: .seconds(second)) { names.append(name) }
            return names
        }

        func finish(_ names: [String], at second: Int) {
            for name in names { queue.finish(name, at: .seconds(second)) }
        }

        /// Looks these names up one after the other, which takes ten seconds for each.
        func makeSlow(_ names: [String]) {
            for (index, name) in names.enumerated() {
                #expect(add([name]))
                #expect(start(at: 10 * index) == [name])
                finish([name], at: 10 * (index + 1))
            }
        }
    }

    private let lookups = Lookups()

    private func names(_ prefix: String, _ count: Int) -> [String] { (0..<count).map { "\(prefix)\($0)" } }

    @Test("is that of their arrival, eight at a time, each name once")
    func arrival() {
        let names = names("a", 10)
        #expect(lookups.add(names + names))
        #expect(lookups.start() == Array(names.prefix(8)))
        #expect(lookups.add(names))
        lookups.finish(["a3"], at: 0)
        #expect(lookups.start() == ["a8"])
        #expect(lookups.add(["a3"]))
        lookups.finish(["a0", "a1", "a2"], at: 0)
        #expect(lookups.start() == ["a9", "a3"])
    }

    @Test("puts slow names behind the others, and at most two of them run")
    func slow() {
        let slow = names("s", 5)
        lookups.makeSlow(slow)
        #expect(lookups.add(slow + ["a", "b"]))
        #expect(lookups.start(at: 100) == ["a", "b", "s0", "s1"])
        #expect(lookups.add(["c"]))
        #expect(lookups.start(at: 100) == ["c"])
        lookups.finish(["s0"], at: 110)
        #expect(lookups.start(at: 110) == ["s2"])
    }

    @Test("leaves six threads to names that resolve, however many don't")
    func dead() {
        let dead = names("d", 60)
        lookups.makeSlow(dead)
        #expect(lookups.add(dead))
        #expect(lookups.start(at: 1_000).count == LookupQueue.maximumSlowCount)
        let names = names("a", 20)
        #expect(lookups.add(names))
        let rounds = (0..<5).map { _ in
            let started = lookups.start(at: 1_000)
            lookups.finish(started, at: 1_000)
            return started
        }
        #expect(rounds.map(\.count) == [6, 6, 6, 2, 0])
        #expect(rounds.flatMap(\.self) == names)
    }

    @Test("gives each slow name its turn, though others are asked for again and again")
    func turns() {
        let dead = names("d", 6)
        lookups.makeSlow(dead)
        #expect(lookups.add(dead))
        var turns: [String] = []
        for round in 0..<6 {
            let started = lookups.start(at: 200 + 10 * round)
            for (index, name) in started.enumerated() { lookups.finish([name], at: 208 + 10 * round + index) }
            turns += started
            // Those that had their turn come back first.
            lookups.remove(dead)
            #expect(lookups.add(turns.reversed() + dead))
        }
        #expect(turns == dead + dead)
    }

    @Test("counts a slow name among the others after a look-up of less than a second", arguments: [0, 1, 5])
    func recovery(seconds: Int) {
        lookups.makeSlow(["s", "t", "u"])
        #expect(lookups.add(["s"]))
        #expect(lookups.start(at: 100) == ["s"])
        lookups.finish(["s"], at: 100 + seconds)
        #expect(lookups.add(["t", "u"]))
        #expect(lookups.start(at: 200) == ["t", "u"])
        #expect(lookups.add(["s"]))
        #expect(lookups.start(at: 200) == (seconds == 0 ? ["s"] : []))
    }

    @Test("is bounded: 64 names wait, and 64 slow ones beside them")
    func bounds() {
        let slow = names("s", 65)
        lookups.makeSlow(slow)
        let running = names("a", LookupQueue.maximumRunningCount)
        #expect(lookups.add(running))
        #expect(lookups.start(at: 1_000) == running)
        #expect(lookups.add(Array(slow.prefix(64))))
        #expect(!lookups.add(["s64"]))
        #expect(lookups.add(names("b", 64)))
        #expect(!lookups.add(["c"]))
        // Another one who waits for these is no further look-up.
        #expect(lookups.add(["a0", "b0", "s0"]))
        lookups.remove(["b0"])
        #expect(lookups.add(["c"]))
    }

    @Test("forgets the name that has been slow for longest, beyond 1,024")
    func forgetting() {
        lookups.makeSlow(names("s", LookupQueue.maximumRememberedCount + 1))
        #expect(lookups.add(["s3", "s2", "s1", "s0"]))
        #expect(lookups.start(at: 20_000) == ["s0", "s1", "s2"], "the first one counts as new")
    }
}
