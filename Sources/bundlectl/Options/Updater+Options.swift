import BundleNetwork
import BundleStore
import BundleUpdate

extension Updater.Configuration {
    /// How the updater of this program works.
    init(
        _ shell: ShellOptions,
        activation: ActivationMode = .now,
        isScheduled: Bool,
        acceptsOlderFeeds: Bool = false
    ) {
        self.init()
        self.acceptsOlderFeeds = acceptsOlderFeeds
        userAgent = ProductVersion.userAgent
        shellVersion = shell.version
        self.activation = activation
        self.isScheduled = isScheduled
        readsFolders = true
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
