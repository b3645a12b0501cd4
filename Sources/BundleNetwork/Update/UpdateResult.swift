import BundleInstall
import BundleStore

/// What an update did.
public enum UpdateResult: Sendable {
    /// The feed has nothing higher; nothing has changed.
    case upToDate(UpdateCheck)
    /// A higher version answers now.
    case updated(UpdateCheck, InstallReport)

    /// What was given up because the quota had no room for it any more.
    public var quotaRemoval: QuotaRemoval {
        if case .updated(_, let report) = self { report.quotaRemoval } else { QuotaRemoval() }
    }
}
