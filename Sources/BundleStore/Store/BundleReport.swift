import Foundation

/// A bundle and its versions as JSON documents have them. A value type; safe to share between threads.
package struct BundleReport: Encodable, Sendable {
    /// The bundle.
    package let name: BundleName
    /// The active version, whether or not it can be opened; nil when there is none.
    package let active: BundleVersion?
    /// The version that is served: another one than the active version if that can't be opened.
    package let serving: BundleVersion?
    /// The version that becomes active later, and when; nil when there is none.
    package let pending: BundleVersion?, activation: ActivationMode?
    /// Whether the active version has yet to be confirmed.
    package let isOnProbation: Bool
    /// Why nothing of the active version is used; nil when it is.
    package let withdrawn: Withdrawal.Reason?
    /// The version that was shipped with an app; nil when there is none.
    package let seed: BundleVersion?
    /// As ``InstalledBundle/reports``.
    package let versions: [ReleaseReport]

    /// Reports a bundle's state in a snapshot.
    package init(_ bundle: InstalledBundle) {
        (name, active) = (bundle.name, bundle.activeVersion)
        serving = bundle.serving.flatMap { $0.isReadable ? $0.version : nil }
        (pending, activation) = (bundle.lifecycle.pending?.version, bundle.lifecycle.pending?.mode)
        isOnProbation = bundle.probationTerms != nil
        withdrawn = bundle.withdrawal?.reason
        seed = bundle.releases.first { bundle.isSeed($0.version) }?.version
        versions = bundle.reports
    }
}

/// A version as JSON documents have it. A value type; safe to share between threads.
package struct ReleaseReport: Encodable, Sendable {
    /// The version.
    package let version: BundleVersion
    /// Its state within the bundle.
    package let state: ReleaseState
    /// Whether pruning keeps it, and whether it can't be opened.
    package let isPinned: Bool, isDamaged: Bool
    /// The number of its files.
    package let fileCount: Int
    /// The sum of the files' lengths.
    package let byteCount: Int64
    /// When it was installed.
    package let installedAt: Date
    /// When it became active last; nil when it never was.
    package let activatedAt: Date?
    /// Why nothing of it is used; nil when it may be.
    package let withdrawn: Withdrawal.Reason?
    /// The root of ``InstalledBundle/signature(of:)``.
    package let signedBy: Digest?

    /// Reports a version of a bundle.
    package init(_ release: Release, of bundle: InstalledBundle) {
        (version, state) = (release.version, release.state)
        (isPinned, isDamaged) = (release.isPinned, !release.isReadable)
        (fileCount, byteCount) = (release.fileCount, release.byteCount)
        (installedAt, activatedAt) = (release.installedAt, release.activatedAt)
        withdrawn = bundle.withdrawal(of: release.version)?.reason
        signedBy = bundle.signature(of: release)?.root
    }
}

extension InstalledBundle {
    /// All versions, including those that can't be opened; the active one first.
    package var reports: [ReleaseReport] {
        (damaged.filter { $0.state == .active } + releases + damaged.filter { $0.state != .active })
            .map { ReleaseReport($0, of: self) }
    }
}
