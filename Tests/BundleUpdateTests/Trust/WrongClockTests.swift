import BundleModel
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundleUpdate

@Suite("Wrong clocks")
struct WrongClockTests {
    /// Where news are, in the order of the columns of the page “Signing”.
    enum Source: String, CaseIterable { case server, stick, nowhere, unreachable }

    enum Outcome: String { case updated, unchanged, refused, offline }

    struct Case: CustomTestStringConvertible {
        let clock: String
        let source: Source
        let outcome: Outcome

        var testDescription: String { "\(clock), \(source.rawValue)" }
    }

    /// How many days a clock is ahead.
    private static let days: [String: Int64] = [
        "1970": -20_454, "a day behind": -1, "right": 0, "20 years ahead": 7_305,
    ]

    /// The cells of the page's table.
    private static let cases: [Case] = {
        let text = (try? Project.text("Sources/bundlectl/bundlectl.docc/Signing.md")) ?? ""
        let rows = text.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return rows.filter { $0.count == Source.allCases.count + 1 && days[$0[0]] != nil }.flatMap { row in
            zip(Source.allCases, row.dropFirst()).compactMap { source, word in
                Outcome(rawValue: word).map { Case(clock: row[0], source: source, outcome: $0) }
            }
        }
    }()

    private func update(_ fixture: TrustFixture, from feed: URL?) async throws -> Outcome {
        do {
            let result = try await fixture.client.updater.update(UpdaterFixture.name, feed: feed)
            return result.updatedName == nil ? .unchanged : .updated
        } catch let error as BundleError where (error.cause as? TrustError)?.code == .expired {
            return .refused
        } catch let error as BundleError where error.code == .networkUnavailable {
            return .offline
        }
    }

    @Test("the page “Signing” has a row for each clock")
    func documented() {
        #expect(Self.cases.count == Self.days.count * Source.allCases.count)
    }

    @Test("a wrong clock costs no page, and holds updates back until it is right at most", arguments: cases)
    func clock(_ row: Case) async throws {
        var configuration = Updater.Configuration()
        configuration.places = .folders
        try await TrustFixture.using(configuration) { fixture in
            let hasNews = [.server, .stick].contains(row.source)
            if hasNews { try fixture.signer.publish("1.1.0", DeliveryFixture.new) }
            let feed = row.source == .stick ? try fixture.signer.copyToStick() : nil
            fixture.client.network.isDown = [.stick, .unreachable].contains(row.source)
            let start = fixture.client.clock.date
            fixture.client.clock.advance(by: .seconds(try #require(Self.days[row.clock]) * 86_400))
            #expect(try await update(fixture, from: feed) == row.outcome)
            #expect(fixture.client.page == (row.outcome == .updated ? "1.1.0" : "1.0.0"))
            fixture.client.clock.date = start
            let right = Self.cases.first { $0.clock == "right" && $0.source == row.source }?.outcome
            #expect(try await update(fixture, from: feed) == (row.outcome == .updated ? .unchanged : right))
            #expect(fixture.client.page == (hasNews ? "1.1.0" : "1.0.0"))
        }
    }
}

extension SigningPublisher {
    /// Copies all that is served to a folder, and returns the URL of the feed there.
    fileprivate func copyToStick() throws -> URL {
        for folder in ["www", "signed"] {
            for name in try directory.snapshot(of: folder).files.keys {
                try directory.write(directory.read("\(folder)/\(name)"), to: "stick/\(name)")
            }
        }
        return URL(fileURLWithPath: directory.path(of: "stick/feed.json"))
    }
}
