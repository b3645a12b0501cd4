import BundleEmbedding
import BundleStore
import BundleUpdate
public import CBundle
import Foundation

/// See `offline_bundles.h`.
@c @implementation
public func ob_check(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ feed: UnsafePointer<CChar>?,
    _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client).client
    report?.pointee = nil
    return reporting(error) {
        let (name, feed) = (try CArgument.name(bundle), try feedURL(feed))
        let check = try Waiting.run { _ in try await client.check(name, feed: feed) }
        CText.store(CheckReport(check), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_update(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ feed: UnsafePointer<CChar>?,
    _ progress: ob_progress_callback?,
    _ context: UnsafeMutableRawPointer?,
    _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client).client
    let progress = ProgressCallback(progress, context)
    report?.pointee = nil
    return reporting(error) {
        let (name, feed) = (try CArgument.name(bundle), try feedURL(feed))
        let result = try Waiting.run { waiting in
            try await client.update(name, feed: feed) { bytes in progress.report(bytes, cancel: waiting.cancel) }
        }
        CText.store(UpdateReport(result), at: report)
    }
}

private func feedURL(_ pointer: UnsafePointer<CChar>?) throws -> URL? {
    guard let pointer else { return nil }
    let text = try CArgument.text(pointer, "the feed's URL")
    guard let url = URL(string: text), url.scheme != nil else {
        throw BundleError(.invalidArgument, "“\(Printable.text(text))” is not an absolute URL; correct it")
    }
    return url
}

/// C's callback for the progress of work, which may cancel it.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
struct ProgressCallback: @unchecked Sendable {
    private let callback: ob_progress_callback?
    private let context: CContext

    init(_ callback: ob_progress_callback?, _ context: UnsafeMutableRawPointer?) {
        self.callback = callback
        self.context = CContext(pointer: context)
    }

    /// Calls C.
    ///
    /// - Parameter cancel: Cancels the work.
    func report(_ progress: ByteProgress, cancel: () -> Void) {
        guard let callback, !callback(context.pointer, progress.done, progress.total) else { return }
        cancel()
    }
}
