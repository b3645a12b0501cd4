import BundleInstall
import BundleNetwork
import BundleStore
import BundleTar
import BundleTransport
import BundleUpdate

extension BundleStore {
    /// Calls `body` with an updater, whose network ends with the call.
    func updating<Success>(
        _ configuration: Updater.Configuration,
        over access: NetworkAccess,
        _ body: (Updater) async throws -> Success
    ) async throws -> Success {
        var configuration = configuration
        configuration.credentials = access.credentials
        return try await access.withTransport { [configuration] transport in
            try await body(
                Updater(
                    self,
                    installer: Installer(self, formats: .zipAndTar),
                    transport: transport,
                    configuration: configuration
                )
            )
        }
    }
}

extension Updater.Configuration {
    /// How the updater of this program works.
    init(
        _ shell: ShellOptions,
        activation: ActivationMode = .now,
        isScheduled: Bool,
        acceptsOlderFeeds: Bool = false,
        trust: TrustOptions? = nil
    ) {
        self.init()
        self.acceptsOlderFeeds = acceptsOlderFeeds
        userAgent = ProductVersion.userAgent
        shellVersion = shell.version
        groups = Set(shell.groups.map(\.string))
        self.activation = activation
        self.isScheduled = isScheduled
        places = .ofEnvironment
        trust?.apply(to: &self)
    }

    /// The same for downloads.
    ///
    /// - Parameter link: Says whether the link is metered, unless that was written into the store.
    func downloading(
        _ transfer: TransferOptions,
        _ metered: MeteredOptions,
        _ link: NetworkRuleOptions,
        in store: BundleStore
    ) -> Updater.Configuration {
        var configuration = self
        transfer.apply(to: &configuration)
        configuration.onMetered = metered.policy
        let isMetered = link.metered
        configuration.isMetered = { (try? store.meteredSetting()) ?? isMetered }
        return configuration
    }
}

/// What was found in a feed.
protocol FeedFinding {
    var check: UpdateCheck { get }
}

extension UpdateCheck: FeedFinding {
    var check: UpdateCheck { self }
}

extension UpdateResult: FeedFinding {}

extension FeedOutcome where Success: FeedFinding {
    /// The error that affects this bundle alone: the check or the update has failed, or the feed says what the operator has
    /// to know. Nil when there is none, or the update is only postponed.
    var failure: (any Error)? {
        switch result {
        case .success(let finding): finding.check.problem
        case .failure(let error): error is UpdatePostponement ? nil : error
        case nil: nil
        }
    }

    /// Prints the error, if there is one.
    func reportFailure() {
        guard let line = failure.map(Advice.line) else { return }
        // Some errors name the bundle themselves.
        Diagnostics.report(line.hasPrefix("bundle \(name) ") ? line : "\(name): \(line)")
    }
}

extension FeedOutcome {
    /// Prints why the update takes place later, if it does.
    func reportPostponement() {
        guard case .failure(let postponement as UpdatePostponement) = result else { return }
        let advice = if case .meteredLink = postponement { "; --on-metered always fetches it" } else { "" }
        Diagnostics.warn("\(name): \(postponement)\(advice)")
    }
}

extension Array {
    /// The error that determines the exit status: that of the first by name.
    func firstFailure<Success: FeedFinding>() -> (any Error)? where Element == FeedOutcome<Success> {
        lazy.compactMap(\.failure).first
    }
}
