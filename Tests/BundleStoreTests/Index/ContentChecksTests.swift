import Testing

@testable import BundleStore

@Suite("The check results of contents")
struct ContentChecksTests {
    @Test("are nil at first, and then as recorded, entry by entry", arguments: [1, 31, 32, 33, 64, 1_000])
    func entries(_ count: Int) {
        let checks = ContentChecks(entryCount: count)
        #expect((0..<count).allSatisfy { checks.verdict(ofEntry: $0) == nil })
        for number in stride(from: 0, to: count, by: 3) {
            #expect(checks.record(number % 2 == 0 ? .intact : .damaged, ofEntry: number))
        }
        for number in 0..<count {
            let expected: ContentChecks.Verdict? = number % 3 > 0 ? nil : number % 2 == 0 ? .intact : .damaged
            #expect(checks.verdict(ofEntry: number) == expected)
        }
    }

    @Test("are damaged if one reader says so and another doesn't", arguments: [false, true])
    func disagreement(_ isDamageFirst: Bool) {
        let checks = ContentChecks(entryCount: 1)
        let verdicts: [ContentChecks.Verdict] = isDamageFirst ? [.damaged, .intact] : [.intact, .damaged]
        #expect(verdicts.allSatisfy { checks.record($0, ofEntry: 0) })
        #expect(checks.verdict(ofEntry: 0) == .damaged)
    }

    @Test("are new to one of many that record them at once")
    func news() async {
        let checks = ContentChecks(entryCount: 64)
        let news = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<64).filter { checks.record(.damaged, ofEntry: $0) }.count }
            }
            return await group.reduce(0, +)
        }
        #expect(news == 64)
    }

    @Test("are nil for an entry that doesn't exist", arguments: [-1, 1, 32, .max])
    func outside(_ number: Int) {
        let checks = ContentChecks(entryCount: 1)
        #expect(checks.record(.damaged, ofEntry: number))
        #expect(checks.verdict(ofEntry: number) == nil)
        #expect(checks.verdict(ofEntry: 0) == nil)
    }
}
