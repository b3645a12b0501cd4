import BundleNetwork
import BundleServing
import BundleStore
import BundleUpdate

extension BundleEndpoint {
    /// A configuration that takes the place of the one with which an endpoint runs.
    package struct Change: Sendable {
        /// What of it can't be changed while the endpoint runs has no effect.
        package let configuration: Configuration
        /// Checks for updates from now on; nil for the one before.
        package let updater: Updater?

        /// Makes one.
        package init(_ configuration: Configuration, updater: Updater?) {
            (self.configuration, self.updater) = (configuration, updater)
        }
    }

    /// Reads the configuration again, and applies what has changed. An invalid one isn't applied.
    package typealias Reloading = @Sendable (_ apply: @Sendable (Change) -> Void) async -> Void
}

extension BundleEndpoint.Configuration {
    /// Takes from another configuration what can be changed while an endpoint runs: the only list of it. ``EndpointAssembly``
    /// applies it, and the options that lead to it are listed in `bundlectl`.
    mutating func takeChangeable(from other: Self) {
        headerFields = other.headerFields
        allowedOrigins = other.allowedOrigins
        allowedHosts = other.allowedHosts
        addresses = other.addresses
        networkRules = other.networkRules
        ruleConditions = other.ruleConditions
        checkInterval = other.checkInterval
        scrubInterval = other.scrubInterval
        idleInterval = other.idleInterval
        pageLifetime = other.pageLifetime
        adminToken = other.adminToken
    }

    /// The addresses of bundles, and the hosts that are the endpoint's own.
    var resolvedAddresses: BundleAddresses {
        var addresses = addresses
        addresses.endpointHosts.formUnion(OwnHosts(listening: address, allowed: allowedHosts).names)
        addresses.endpointHosts.formUnion(addresses.publicURLs.map(\.host))
        return addresses
    }
}

extension EndpointAssembly {
    /// Applies a configuration to the running endpoint. Requests that begin later go by it, on open connections too.
    func apply(_ change: BundleEndpoint.Change) {
        let earlier = live.configuration
        var configuration = earlier
        configuration.takeChangeable(from: change.configuration)
        // At no time may clients that come from elsewhere have origins of this machine fetched.
        serveNetwork(hosts: earlier.servedHosts.union(configuration.servedHosts))
        live.change(to: configuration)
        serveNetwork(hosts: configuration.servedHosts)
        (ruling.common, ruling.isDevelopment) = (configuration.networkRules, configuration.ruleConditions.isDevelopment)
        link.isMetered = isMetered
        resolver.change(addresses: configuration.resolvedAddresses, pageLifetime: configuration.pageLifetime)
        live.invalidateResponses()
        if let updater = change.updater ?? endpoint.updater,
            change.updater != nil || configuration.checkInterval != earlier.checkInterval
        {
            updates.follow(updateScheduler(updater))
        }
    }
}
