import Foundation
import Testing

@testable import bundlectl

@Suite("What doctor says of the clock")
struct ClockCheckTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(
        "compares it with the servers, the last installation, and the program",
        arguments: [
            ([], nil, nil, .ok, "no server was asked"), ([2], nil, nil, .ok, "as host0 says"),
            ([301], nil, nil, .warning, "301 s ahead of"), ([-301], nil, nil, .warning, "301 s behind"),
            ([86_401], nil, nil, .error, "86401 s ahead of"),
            // One of three servers is wrong.
            ([1, 2, 99_999], nil, nil, .ok, "as host1 says"),
            ([], 301, nil, .error, "before the last installation"), ([], 299, nil, .ok, "no server"),
            ([], nil, 86_401, .error, "before this program was made"), ([], nil, 86_399, .ok, "no server"),
        ] as [([TimeInterval], TimeInterval?, TimeInterval?, Finding.State, String)]
    )
    func findings(
        _ offsets: [TimeInterval],
        _ installation: TimeInterval?,
        _ build: TimeInterval?,
        _ state: Finding.State,
        _ text: String
    ) {
        let findings = ClockCheck.findings(
            now: Self.now,
            offsets: offsets.enumerated().map { ("host\($0)", $1) },
            newest: installation.map { Self.now + $0 },
            build: build.map { Self.now + $0 }
        )
        #expect(findings.map(\.state) == [state])
        #expect(findings[0].message.contains(text), "\(findings[0].message)")
    }
}
