import BundleStore
import BundleTransport
import Foundation
import Testing

@testable import bundlectl

@Suite("What doctor says of feeds and origins")
struct NetworkCheckTests {
    static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static func target(_ kind: NetworkTarget.Kind) throws -> NetworkTarget {
        NetworkTarget(kind: kind, url: try #require(URL(string: "https://m.example.com/feed.json")))
    }

    @Test(
        "a feed has to be there, an origin only to respond",
        arguments: [
            (.feed, 200, .ok), (.feed, 304, .ok), (.feed, 404, .error), (.feed, 401, .error), (.feed, 503, .error),
            (.origin, 200, .ok), (.origin, 404, .ok), (.origin, 500, .warning),
        ] as [(NetworkTarget.Kind, Int, Finding.State)]
    )
    func responses(_ kind: NetworkTarget.Kind, _ status: Int, _ state: Finding.State) throws {
        let finding = NetworkCheck.finding(try Self.target(kind), .response(status: status, offset: nil))
        #expect(finding.state == state)
        #expect(finding.message == "\(kind.rawValue) https://m.example.com/feed.json responds with \(status)")
        #expect((finding.remedy == nil) == (state == .ok))
    }

    @Test("a feed that is a file may be on a stick, which isn't always there")
    func file() throws {
        let target = NetworkTarget(kind: .feed, url: try #require(URL(string: "file:///media/usb/feed.json")))
        let there = NetworkCheck.finding(target, .file(nil))
        #expect(there == Finding(.ok, .network, "feed file:///media/usb/feed.json is there"))
        let gone = NetworkCheck.finding(target, .file(BundleError(.inputUnavailable, "it can't be read")))
        #expect(gone.state == .warning && gone.remedy == "connect its medium")
    }

    @Test(
        "of a certificate it says what is wrong",
        arguments: [
            (.expired(date), "has expired, 2027-01-15T08:00:00Z"),
            (.notYetValid(date), "isn't valid before 2027-01-15T08:00:00Z"), (.otherName, "is for another host"),
            (.unknownIssuer(nil), "has an issuer that this machine doesn't trust"),
            (.unknownIssuer("Example CA"), "has an issuer that this machine doesn't trust: Example CA"),
        ] as [(CertificateFault, String)]
    )
    func certificates(_ fault: CertificateFault, _ text: String) throws {
        let error = BundleError(.networkUnavailable, "its certificate isn't trusted", cause: fault)
        for (kind, state) in [(.feed, .error), (.origin, .warning)] as [(NetworkTarget.Kind, Finding.State)] {
            let finding = NetworkCheck.finding(try Self.target(kind), .failure(error))
            #expect(finding.message.hasSuffix("its certificate \(text)"), "\(finding.message)")
            #expect(finding.state == state)
            #expect(finding.remedy != nil)
        }
    }

    @Test(
        "of more than are asked the number is told",
        arguments: [(0, []), (3, ["3 more feeds and origins weren't asked"])]
    )
    func rest(_ count: Int, _ messages: [String]) {
        #expect(NetworkCheck.rest(count).map(\.message) == messages)
    }

    @Test("other failures are told as they are")
    func failures() throws {
        let error = BundleError(.networkUnavailable, "there is no route")
        let finding = NetworkCheck.finding(try Self.target(.feed), .failure(error))
        #expect(finding.message == "feed https://m.example.com/feed.json: there is no route")
    }
}
