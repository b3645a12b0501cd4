import BundleInstall
import BundleStore

/// The result of an update.
public enum UpdateResult: Sendable {
    /// The feed has nothing higher; nothing has changed.
    case upToDate(UpdateCheck)
    /// A higher version is active now. The last value is nil when nothing had to be fetched.
    case updated(UpdateCheck, InstallReport, DeliveryReport?)
    /// A higher version is installed now, and becomes active later: see ``/BundleStore/ActivationMode``.
    case pending(UpdateCheck, InstallReport, DeliveryReport?)

    /// What the feed offered.
    public var check: UpdateCheck {
        switch self {
        case .upToDate(let check), .updated(let check, _, _), .pending(let check, _, _): check
        }
    }

    /// The bundle that has a higher version; nil when nothing has changed.
    package var updatedName: BundleName? {
        if case .updated(let check, _, _) = self { check.name } else { nil }
    }

    /// What was removed to stay within the quota.
    public var quotaRemoval: QuotaRemoval {
        switch self {
        case .upToDate: QuotaRemoval()
        case .updated(_, let report, _), .pending(_, let report, _): report.quotaRemoval
        }
    }
}
