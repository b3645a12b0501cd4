import BundleInstall
import BundleStore

/// The result of an update.
public enum UpdateResult: Sendable {
    /// The feed has nothing higher; nothing has changed.
    case upToDate(UpdateCheck)
    /// A higher version is active now.
    case updated(UpdateCheck, InstallReport)

    /// The bundle that has a higher version; nil when nothing has changed.
    package var updatedName: BundleName? {
        if case .updated(let check, _) = self { check.name } else { nil }
    }

    /// What was removed to stay within the quota.
    public var quotaRemoval: QuotaRemoval {
        if case .updated(_, let report) = self { report.quotaRemoval } else { QuotaRemoval() }
    }
}
