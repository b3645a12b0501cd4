import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate
import HTTPCore

/// The shares of a rollout on the command line: percentages above 0 that rise, such as `1,10,50,100`.
struct RolloutSteps: ExpressibleByArgument, Equatable {
    /// At least one, the lowest first.
    let shares: [Rollout]

    init(shares: [Rollout]) {
        self.shares = shares
    }

    init?(argument: String) {
        let texts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let shares = texts.compactMap(Rollout.init(argument:))
        let isRising = zip(shares, shares.dropFirst()).allSatisfy { $0.percent < $1.percent }
        guard shares.count == texts.count, (shares.first?.percent ?? 0) > 0, isRising else { return nil }
        self.shares = shares
    }

    var defaultValueDescription: String { shares.map { $0.description.filter { $0 != "%" } }.joined(separator: ",") }
}

/// Where a metrics server has its API, on the command line: an `http` or `https` URL without a query and a fragment.
struct HealthURL: ExpressibleByArgument, Equatable {
    /// Without a slash at the end.
    let string: String

    init?(argument: String) {
        guard let url = try? HTTPURL(argument), !url.hasQuery, !url.hasFragment, OriginTarget(argument) != nil else {
            return nil
        }
        string = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
    }
}
