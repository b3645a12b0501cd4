import BundleStore
import BundleTesting
import Testing

@testable import BundleUpdate

@Suite("Updates on a metered link")
struct MeteredPolicyTests {
    @Test(
        "the policy says what is fetched",
        arguments: [
            (.never, false, false, true), (.never, true, false, true), (.never, true, true, false),
            (.never, false, true, false), (.patches, false, true, false), (.patches, true, true, true),
            (.patches, false, false, true), (.always, false, true, true),
        ] as [(MeteredPolicy, Bool, Bool, Bool)]
    )
    func permits(_ policy: MeteredPolicy, _ isPatch: Bool, _ isMetered: Bool, _ isPermitted: Bool) {
        #expect(policy.permitsFetching(isPatch: isPatch, isMetered: isMetered) == isPermitted)
    }

    @Test(
        "an archive isn't fetched then, the feed is, and it is no failure",
        arguments: [MeteredPolicy.never, .patches]
    )
    func archive(_ policy: MeteredPolicy) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, configuration: .metered(policy))
            fixture.publish("1.1.0")
            let version = BundleVersion("1.1.0")
            await #expect(throws: UpdatePostponement.meteredLink(version)) {
                try await fixture.updater.update(UpdaterFixture.name)
            }
            #expect(fixture.downloadCount == 0)
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == nil)
            #expect(try await fixture.updater.check(UpdaterFixture.name).available != nil)
        }
    }

    @Test("by the operator's word it is fetched")
    func always() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, configuration: .metered(.always))
            fixture.publish("1.1.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test("a release that is installed already is activated, since nothing is fetched")
    func installed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, configuration: .metered(.never))
            try fixture.install("1.1.0")
            try fixture.install("1.0.0")
            try fixture.store.setHold(false, UpdaterFixture.name)
            fixture.publish("1.1.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
        }
    }
}

extension Updater.Configuration {
    fileprivate static func metered(_ policy: MeteredPolicy) -> Updater.Configuration {
        var configuration = Updater.Configuration()
        configuration.onMetered = policy
        configuration.isMetered = { true }
        return configuration
    }
}
