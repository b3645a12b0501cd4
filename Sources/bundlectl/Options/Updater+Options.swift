import BundleNetwork
import BundleStore

extension Updater.Configuration {
    /// How the updater of this program works.
    init(_ shell: ShellOptions, _ transfer: TransferOptions? = nil, isScheduled: Bool) {
        self.init()
        userAgent = "bundlectl/\(ProductVersion.string)"
        shellVersion = shell.version
        self.isScheduled = isScheduled
        if let transfer { transfers = transfer.limits }
    }
}
