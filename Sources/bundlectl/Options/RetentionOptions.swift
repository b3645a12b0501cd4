import ArgumentParser
import BundleStore

/// How many earlier versions stay when a new one becomes active.
struct RetentionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many earlier versions of each bundle to keep besides pinned ones, and how many that were never activated.",
            valueName: "n"
        )
    )
    var keep = 1

    func validate() throws {
        if keep < 0 { throw ValidationError(keep, of: "--keep", mustBe: "0 or more", suchAs: "2") }
    }

    /// Removes superfluous versions now. The new versions are installed whether or not that succeeds, so a failure is a
    /// warning.
    ///
    /// - Parameter spared: A version that stays in any case.
    /// - Returns: The versions that were removed.
    func apply(
        to names: Set<BundleName>,
        sparing spared: (BundleName, BundleVersion)? = nil,
        in store: BundleStore,
        waits: Bool,
        console: Console
    ) -> [RemovedRelease] {
        guard !names.isEmpty else { return [] }
        do {
            let report = try store.pruneUnlessBusy(keeping: keep, of: names, sparing: spared, waits: waits)
            console.warn(report?.warnings ?? [])
            return report?.releases ?? []
        } catch is CancellationError {
            console.warn(["removing earlier versions was interrupted; `bundlectl prune` finishes it"])
            return []
        } catch {
            console.warn(["earlier versions were not removed: \(Advice.line(error))"])
            return []
        }
    }
}

/// A version that was removed to make room, and why.
struct RemovedVersion: Encodable {
    let name: String
    let version: String
    let reason: String
    /// For a person.
    let line: String

    private enum CodingKeys: CodingKey {
        case name, version, reason
    }

    init(_ release: RemovedRelease) {
        name = release.name.string
        version = release.version.string
        reason = release.reason.rawValue
        line = release.description(limitedBy: "--keep")
    }
}

extension QuotaRemoval {
    /// The dropped responses as lines of text.
    var responseLines: [String] {
        guard responseCount > 0 else { return [] }
        let responses = Quantity.text(responseCount, "response")
        return ["dropped \(responses) of the cache, \(ByteCount.text(responseByteCount)): the quota had no room"]
    }

    /// The removals of several installations together.
    static func + (left: QuotaRemoval, right: QuotaRemoval) -> QuotaRemoval {
        var sum = left
        sum.releases += right.releases
        sum.responseCount += right.responseCount
        sum.responseByteCount += right.responseByteCount
        return sum
    }
}
