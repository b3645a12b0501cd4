import BundleModel
import OfflineBundles
import Testing

@testable import HybridShell

@Suite("What a load says of a release")
struct LoadTrialTests {
    private let version = BundleVersion("1.1.0")

    /// The trial of a page that has loaded.
    private func loaded() throws -> (trial: LoadTrial, number: Int) {
        var trial = LoadTrial()
        trial.begin(with: version)
        let number = try #require(trial.finish { $0 == version })
        return (trial, number)
    }

    @Test("a page of it that goes on working says that it works, once")
    func works() throws {
        var (trial, number) = try loaded()
        #expect(trial.result(of: number) == version)
        #expect(trial.result(of: number) == nil)
        #expect(trial.result(of: nil) == nil)
    }

    @Test("so does one whose window the user closes earlier")
    func closed() throws {
        var (trial, _) = try loaded()
        #expect(trial.result(of: nil) == version)
    }

    @Test("one whose process ends doesn't, and neither does one that another page follows")
    func ended() throws {
        var (trial, number) = try loaded()
        trial.end()
        #expect(trial.result(of: number) == nil)
        (trial, number) = try loaded()
        trial.begin(with: version)
        #expect(trial.result(of: number) == nil)
        #expect(trial.result(of: nil) == nil, "it hasn't loaded yet")
        let second = try #require(trial.finish { _ in true })
        #expect(trial.result(of: number) == nil)
        #expect(trial.result(of: second) == version)
    }

    @Test("what isn't a page of the release says nothing, and neither does one before any release")
    func foreign() {
        var trial = LoadTrial()
        trial.begin(with: version)
        #expect(trial.finish { _ in false } == nil)
        #expect(trial.result(of: nil) == nil)
        trial.begin(with: nil)
        #expect(trial.finish { _ in true } == nil)
    }

    @Test(
        "it goes on for three seconds at most, and never for as long that the release is taken back",
        arguments: [(nil, 3_000), (30, 3_000), (12, 3_000), (4, 1_000), (1, 250)] as [(Int64?, Int)]
    )
    func period(_ within: Int64?, _ milliseconds: Int) throws {
        let terms = try within.map { try #require(HealthTerms(withinSeconds: $0)) }
        #expect(LoadTrial.period(for: terms) == .milliseconds(milliseconds))
    }
}
