import BundleWebKit
import Testing

@Suite("The state of a task")
struct SchemeTaskStateTests {
    typealias Event = SchemeTaskState.Event

    @Test("whatever happens in whichever order, what is told obeys WebKit's rules")
    func everyOrder() {
        var sequences: [[Event]] = [[]]
        var last = sequences
        for _ in 0..<5 {
            last = last.flatMap { start in Event.allCases.map { start + [$0] } }
            sequences += last
        }
        for sequence in sequences {
            var state = SchemeTaskState()
            let told = sequence.filter { state.take($0) }
            let stop = sequence.firstIndex(of: .stop) ?? sequence.count
            var before = SchemeTaskState()
            #expect(told == sequence[..<stop].filter { before.take($0) }, "nothing is told after a stop")
            #expect(told.filter { $0 == .head }.count <= 1)
            if let end = told.firstIndex(where: { $0 == .finish || $0 == .fail }) { #expect(end == told.count - 1) }
            if let first = told.first { #expect(first == .head || first == .fail) }
        }
    }
}
