import Foundation
import Testing

@testable import BundleTransport

@Suite("Why a certificate isn't trusted")
struct CertificateFaultTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private static let end = start + 86_400

    @Test(
        "is first a matter of time, then of the name, then of the issuer",
        arguments: [
            (start - 1, true, .notYetValid(start)), (end + 1, true, .expired(end)), (end + 1, false, .expired(end)),
            (start, true, .unknownIssuer("A")), (end, true, .unknownIssuer("A")), (start + 1, false, .otherName),
        ] as [(Date, Bool, CertificateFault)]
    )
    func fault(_ now: Date, _ isForHost: Bool, _ fault: CertificateFault) {
        let validity = Self.start...Self.end
        #expect(CertificateFault(validity: validity, isForHost: isForHost, issuer: "A", now: now) == fault)
    }
}
