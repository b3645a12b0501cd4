import Testing

@testable import ServerCore

@Suite("The rate of requests")
struct RequestRateTests {
    @Test("is counted per second")
    func counted() {
        var rate = RequestRate()
        let isWithin = [5, 5, 5, 6, 6, 6, 8].map { rate.count(inSecond: $0, limit: 2) }
        #expect(isWithin == [true, true, false, true, true, false, true])
    }
}
