import BundleTesting
import Foundation
import Testing

/// The real binary in the network of a company: with an authority of its own.
struct CompanyNetworkTests {
    @Test func `an authority of one's own is trusted by option or by variable, and a refusal says how`() async throws {
        try await withFeedSite(secureFor: ["127.0.0.1"]) { site in
            try await site.publish("docs", "1.0.0")
            let certificate = site.directory.path(of: "site-certificate.pem")
            let refused = try await site.bundlectl.expect(69, "install", site.feed("docs"))
            #expect(refused.errorOutput.contains("“site” has issued its certificate, and isn't trusted"))
            #expect(refused.errorOutput.contains("--ca-certificate FILE, or with SSL_CERT_FILE"))
            let missing = try await site.bundlectl.expect(66, "install", site.feed("docs"), "--ca-certificate", "/none")
            #expect(missing.errorOutput.contains("/none can't be read"))
            try await site.bundlectl.expect(0, "install", site.feed("docs"), "--ca-certificate", certificate)
            try await site.publish("docs", "1.1.0")
            try await site.bundlectl.expect(69, "update")
            let report = try await site.bundlectl.expect(11, "doctor")
            #expect(report.output.contains("has an issuer that this machine doesn't trust: site"), "\(report.output)")
            try await site.bundlectl.expect(0, "doctor", "--ca-certificate", certificate)
            let trusting = site.bundlectl.with(["SSL_CERT_FILE": certificate])
            let sound = try await trusting.expect(0, "doctor")
            #expect(sound.output.contains("those in \(certificate) are trusted, in place of the system's"))
            try await trusting.expect(0, "update")
            #expect(try await site.active("docs") == "1.1.0")
        }
    }
}
