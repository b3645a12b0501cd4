import BundleStore
import CBundle

/// An error as C sees it. Thread-safe.
final class Failure: Sendable {
    let status: ob_status
    let name: CText
    let message: CText

    init(_ error: any Error) {
        switch error {
        case let error as BundleError:
            status = Self.statuses[error.code] ?? ob_status(OB_FAILED)
            name = CText(error.code.description)
            message = CText(error.message)
        case is CancellationError:
            status = ob_status(OB_CANCELLED)
            name = CText("cancelled")
            message = CText("the work was cancelled")
        default:
            status = ob_status(OB_FAILED)
            name = CText("failed")
            message = CText(Printable.text("\(error)"))
        }
    }

    private static let statuses: [BundleError.Code: ob_status] = [
        .invalidArgument: OB_INVALID_ARGUMENT,
        .inputUnavailable: OB_INVALID_ARGUMENT,
        .invalidArchive: OB_INVALID_ARCHIVE,
        .invalidManifest: OB_INVALID_MANIFEST,
        .invalidFeed: OB_INVALID_FEED,
        .versionConflict: OB_VERSION_CONFLICT,
        .originConflict: OB_ORIGIN_CONFLICT,
        .networkUnavailable: OB_NETWORK_UNAVAILABLE,
        .storeUnavailable: OB_STORE_UNAVAILABLE,
        .outputUnavailable: OB_OUTPUT_UNAVAILABLE,
        .storeBusy: OB_STORE_BUSY,
        .quotaExceeded: OB_QUOTA_EXCEEDED,
        .newerFormat: OB_NEWER_FORMAT,
        .storeDamaged: OB_STORE_DAMAGED,
    ].mapValues { ob_status($0) }
}
