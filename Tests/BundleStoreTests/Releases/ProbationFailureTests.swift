import Testing

@testable import BundleStore

@Suite("Why a release on probation fails")
struct ProbationFailureTests {
    @Test("the reason in the journal is read again", arguments: [ProbationFailure.starts(2), .time(seconds: 3_600)])
    func reading(_ failure: ProbationFailure) {
        #expect(ProbationFailure(reason: failure.reason) == failure)
    }

    @Test(
        "what a person says is another reason",
        arguments: [
            "", "slow", "not confirmed in", "not confirmed in two starts", "not confirmed in 2 starts, they say",
        ]
    )
    func foreign(_ reason: String) {
        #expect(ProbationFailure(reason: reason) == nil)
    }
}
