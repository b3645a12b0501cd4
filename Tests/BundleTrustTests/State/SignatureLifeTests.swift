import BundleModel
import Foundation
import Testing

@testable import BundleTrust

@Suite("How much of a signature's life is left")
struct SignatureLifeTests {
    private static let now = TestRepository.now

    @Test(
        "documents of the release and the root key are due half a year ahead, the others a day after half of their life",
        arguments: [
            (.root, 183, nil, false), (.root, 182, nil, true), (.targets, 183, 0, false), (.targets, 182, 0, true),
            (.targets, -1, nil, true),
            // Of 14 days.
            (.timestamp, 7, -7, false), (.timestamp, 6, -8, true), (.snapshot, 6, -8, true),
            (RoleName(delegated: "feed") ?? .root, 6, -8, true),
            // It isn't said since when.
            (.timestamp, 7, nil, false), (.timestamp, 6, nil, true),
            // Of a stick's 90 days, and of one day.
            (.timestamp, 45, -45, false), (.timestamp, 44, -46, true), (.timestamp, 0.6, -0.4, false),
            (.timestamp, 0.25, -0.75, true), (.timestamp, -1, -15, true),
        ] as [(RoleName, Double, Double?, Bool)]
    )
    func isDue(_ role: RoleName, _ end: Double, _ start: Double?, _ expected: Bool) {
        let expiry = Self.now.addingTimeInterval(end * 86_400)
        let signedAt = start.map { Self.now.addingTimeInterval($0 * 86_400) }
        #expect(SignatureLife.isDue(role, until: expiry, since: signedAt, at: Self.now) == expected)
    }

    @Test(
        "what has expired is told with the one who signs the next",
        arguments: [
            ("root.json", "“bundlectl keys rotate root”"), ("targets.json", "“bundlectl publish --keys DIR”"),
            ("snapshot.json", "“bundlectl feed refresh”"), ("timestamp.json", "“bundlectl feed refresh”"),
            ("feed.json", "“bundlectl feed refresh”"),
        ]
    )
    func advice(_ document: String, _ command: String) {
        #expect(TrustError(.expired, document, "has expired").advice.contains(command))
    }

    @Test("each refusal says what to do", arguments: TrustError.Code.allCases)
    func advice(_ code: TrustError.Code) {
        let error = TrustError(code, "timestamp.json", "is wrong")
        #expect(error.description.hasPrefix("timestamp.json: is wrong; "))
        #expect(!error.advice.isEmpty)
    }
}
