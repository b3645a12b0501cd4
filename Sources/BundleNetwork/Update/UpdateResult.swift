import BundleInstall
import BundleStore

/// What an update did.
public enum UpdateResult: Sendable {
    /// The feed has nothing higher; nothing has changed.
    case upToDate(UpdateCheck)
    /// A higher version answers now.
    case updated(UpdateCheck, InstallReport)
}
