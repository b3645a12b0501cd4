import BundleInstall
import BundleStore

/// The result of an update.
public enum UpdateResult: Sendable {
    /// The feed has nothing higher; nothing has changed.
    case upToDate(UpdateCheck)
    /// A higher version is active now.
    case updated(UpdateCheck, InstallReport)

    /// What was removed to stay within the quota.
    public var quotaRemoval: QuotaRemoval {
        if case .updated(_, let report) = self { report.quotaRemoval } else { QuotaRemoval() }
    }
}
