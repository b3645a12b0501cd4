import BundleInstall
import BundleStore

/// The result of an update.
public enum UpdateResult: Sendable {
    /// The feed has nothing higher; nothing has changed.
    case upToDate(UpdateCheck)
    /// A higher version is active now. The last value is nil when nothing had to be fetched.
    case updated(UpdateCheck, InstallReport, DeliveryReport?)

    /// The bundle that has a higher version; nil when nothing has changed.
    package var updatedName: BundleName? {
        if case .updated(let check, _, _) = self { check.name } else { nil }
    }

    /// What was removed to stay within the quota.
    public var quotaRemoval: QuotaRemoval {
        if case .updated(_, let report, _) = self { report.quotaRemoval } else { QuotaRemoval() }
    }
}
