import Foundation
import Testing

@testable import bundlectl

@Suite("What doctor says of certificates")
struct CertificateCheckTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(
        "goes by the days that are left, and by its life",
        arguments: [
            (-10, 80, .ok, "valid for 80 days"), (-76, 14, .ok, "valid for 14 days"),
            (-77, 13, .warning, "expires in 13 days"), (-1, 5, .ok, "valid for 5 days"),
            (-5, 1, .warning, "expires in 1 day,"), (-90, -1, .error, "has expired"),
            (1, 90, .error, "isn't valid before"),
        ] as [(Double, Double, Finding.State, String)]
    )
    func own(_ start: Double, _ end: Double, _ state: Finding.State, _ text: String) {
        let validity = Self.now + start * 86_400...Self.now + end * 86_400
        let finding = CertificateCheck.finding(validity, at: "a.pem", now: Self.now)
        #expect(finding.state == state)
        #expect(finding.message.contains(text), "\(finding.message)")
    }

    @Test("misses those that the system trusts")
    func trust() {
        #expect(CertificateCheck.trust(chosen: []) { _ in false }.state == .warning)
        let found = CertificateCheck.trust(chosen: []) { $0 == "/etc/ssl/cert.pem" }
        #expect(found.message.contains("/etc/ssl/cert.pem"))
    }

    @Test("names those that variables put in place of the system's")
    func chosen() {
        let found = CertificateCheck.trust(chosen: ["/a.pem", "/b"]) { _ in true }
        #expect(found.message == "those in /a.pem, /b are trusted, in place of the system's")
        let missing = CertificateCheck.trust(chosen: ["/a.pem", "/b"]) { $0 != "/b" }
        #expect(missing.state == .error)
        #expect(missing.message.hasPrefix("/b can't be read"))
    }
}
