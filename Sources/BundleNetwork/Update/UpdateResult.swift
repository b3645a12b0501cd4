import BundleInstall
import BundleStore

/// The result of an update.
public enum UpdateResult: Sendable {
    /// The feed has nothing higher; nothing has changed.
    case upToDate(UpdateCheck)
    /// A higher version is active now.
    case updated(UpdateCheck, InstallReport)
    /// A higher version is installed now, and becomes active later: see ``/BundleStore/ActivationMode``.
    case pending(UpdateCheck, InstallReport)

    /// What was removed to stay within the quota.
    public var quotaRemoval: QuotaRemoval {
        switch self {
        case .upToDate: QuotaRemoval()
        case .updated(_, let report), .pending(_, let report): report.quotaRemoval
        }
    }
}
