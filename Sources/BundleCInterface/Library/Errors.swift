import BundleStore
public import CBundle

/// See `offline_bundles.h`.
@c @implementation
public func ob_error_status(_ error: OpaquePointer) -> ob_status { Handle<Failure>.object(error).status }

/// See `offline_bundles.h`.
@c @implementation
public func ob_error_name(_ error: OpaquePointer) -> UnsafePointer<CChar> { Handle<Failure>.object(error).name.pointer }

/// See `offline_bundles.h`.
@c @implementation
public func ob_error_message(_ error: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<Failure>.object(error).message.pointer
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_error_free(_ error: OpaquePointer?) { Handle<Failure>.release(error) }

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
        case is CancellationError:
            status = ob_status(OB_CANCELLED)
            name = CText("cancelled")
        default:
            status = ob_status(OB_FAILED)
            name = CText("failed")
        }
        message = CText(Self.text(of: error))
    }

    /// The error in one line for a person.
    static func text(of error: any Error) -> String {
        switch error {
        case let error as BundleError: error.message
        case is CancellationError: "the work was cancelled"
        default: Printable.text("\(error)")
        }
    }

    private static let statuses: [BundleError.Code: ob_status] = [
        .invalidArgument: OB_INVALID_ARGUMENT,
        .notFound: OB_NOT_FOUND,
        .tooLarge: OB_TOO_LARGE,
        .inputUnavailable: OB_INVALID_ARGUMENT,
        .invalidArchive: OB_INVALID_ARCHIVE,
        .invalidManifest: OB_INVALID_MANIFEST,
        .invalidFeed: OB_INVALID_FEED,
        .untrusted: OB_UNTRUSTED,
        .versionConflict: OB_VERSION_CONFLICT,
        .originConflict: OB_ORIGIN_CONFLICT,
        .networkUnavailable: OB_NETWORK_UNAVAILABLE,
        .unexpectedResponse: OB_NETWORK_UNAVAILABLE,
        .storeUnavailable: OB_STORE_UNAVAILABLE,
        .outputUnavailable: OB_OUTPUT_UNAVAILABLE,
        .storeBusy: OB_STORE_BUSY,
        .quotaExceeded: OB_QUOTA_EXCEEDED,
        .newerFormat: OB_NEWER_FORMAT,
        .storeDamaged: OB_STORE_DAMAGED,
    ].mapValues { ob_status($0) }
}

/// Where C wants an error; nil when it doesn't.
typealias ErrorPlace = UnsafeMutablePointer<OpaquePointer?>

/// Runs the body of a function that returns a status.
func reporting(_ place: ErrorPlace?, _ body: () throws -> Void) -> ob_status {
    do {
        try body()
        place?.pointee = nil
        return ob_status(OB_OK)
    } catch {
        let failure = Failure(error)
        place?.pointee = Handle.make(failure)
        return failure.status
    }
}

/// Runs the body of a function that returns nil on failure.
func reporting<Result>(_ place: ErrorPlace?, _ body: () throws -> Result) -> Result? {
    do {
        let result = try body()
        place?.pointee = nil
        return result
    } catch {
        place?.pointee = Handle.make(Failure(error))
        return nil
    }
}
