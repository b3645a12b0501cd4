import BundleTesting
import Testing

/// The table of what every driver must respond: each of its rows on each driver, with what is recorded of it. The
/// suites of its parts have one set of servers in common.
@Suite("Conformance, on every driver", .serialized, .timeLimit(.minutes(5)), .conformanceServers())
struct DriverConformanceTests {
    private static let rows =
        Hosts.rows + Hosts.refusedRows + Messages.contentRows + Messages.fieldsRows + Messages.targetRows + Network.rows
        + Preconditions.ifMatchRows + Preconditions.ifNoneMatchRows + Preconditions.ifRangeRows
        + Preconditions.orderRows + Ranges.rows + Responses.cachedRows + Responses.chosenRows + Pages.cookiesRows
        + Responses.methodsRows + Pages.pagesRows + Responses.statusesRows

    @Test("a row that a driver can't run says why, and there are few of them", arguments: ConformanceDriver.allCases)
    func exceptions(_ driver: ConformanceDriver) {
        let reasons = Self.rows.compactMap { $0.exceptions[driver]?.reason }
        #expect(reasons.allSatisfy { !$0.isEmpty })
        #expect(reasons.count * 10 < Self.rows.count)
    }
}
