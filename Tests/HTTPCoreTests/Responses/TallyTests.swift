import BundleServing
import BundleStore
import BundleTesting
import Foundation
import Testing

struct TallyTests {
    @Test(
        "a coding saves what it makes shorter, when all of it is sent",
        arguments: [(40, 60), (0, 0), (39, 0), (100, 0), (Int.max, 0), (Int.min, 0)]
    )
    func saving(sent: Int, saved: Int) {
        let saving = CodingSaving(isDelta: false, identityByteCount: 100, codedByteCount: 40)
        #expect(saving.savedByteCount(sending: sent) == saved)
    }

    @Test("codings and deltas are counted apart, and only for responses with content", arguments: [true, false])
    func savings(isDelta: Bool) {
        let ledger = TallyLedger()
        let saving = CodingSaving(isDelta: isDelta, identityByteCount: 100, codedByteCount: 40)
        let source = ResponseSource(.active, nil, saving)
        let sheet = ledger.makeSheet()
        sheet.tally(source, status: 200).add(byteCount: 40, saving)
        sheet.tally(source, status: 304).add(byteCount: 0, saving)
        sheet.record(source, status: 200, byteCount: 40)
        let sums = ledger.totals.values.reduce(into: ResponseTally.Totals()) { $0 &+= $1 }
        #expect(sums.requestCount == 3)
        #expect(sums.byteCount == 80)
        #expect(sums.savedByDeltas == (isDelta ? 120 : 0))
        #expect(sums.savedByCodings == (isDelta ? 0 : 120))
    }

    @Test("the ledger adds up the sheets of all event loops, each on a thread of its own")
    func sheets() {
        let ledger = TallyLedger()
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            let tally = ledger.makeSheet().tally(ResponseSource(.cache), status: 200 + index % 2)
            for _ in 0..<10_000 { tally.add(byteCount: 3, nil) }
        }
        #expect(ledger.totals.count == 2)
        #expect(ledger.totals.values.allSatisfy { $0.requestCount == 20_000 && $0.byteCount == 60_000 })
    }

    @Test("a sheet that many threads record on loses nothing")
    func shared() {
        let ledger = TallyLedger()
        let sheet = ledger.makeSheet()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<1_000 {
                sheet.record(ResponseSource(.network), status: 200, byteCount: 0)
                sheet.record(laterByteCount: 7, of: ResponseSource(.network), status: 200)
            }
        }
        #expect(ledger.totals.values.map(\.requestCount) == [4_000])
        #expect(ledger.totals.values.map(\.byteCount) == [28_000])
    }

    @Test("statuses and lengths that can't be are counted without a trap", arguments: [-1, 600, Int.max, Int.min])
    func oddNumbers(_ number: Int) {
        let ledger = TallyLedger()
        ledger.makeSheet().record(ResponseSource(.server), status: number, byteCount: number)
        #expect(ledger.totals.keys.allSatisfy { (0...599).contains($0.status) })
        #expect(ledger.totals.values.allSatisfy { $0.byteCount >= 0 })
    }
}
