/// Re-exports what the client's calls take and return, so that an app imports one module.
@_exported import BundleArchive
@_exported import BundleInstall
@_exported import BundleNetwork
@_exported import BundleServing
@_exported import BundleStore
@_exported import BundleUpdate
@_exported import BundleUsage
