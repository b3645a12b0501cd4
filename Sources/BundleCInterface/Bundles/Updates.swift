import BundleEmbedding
import BundleNetwork
import BundleStore
import BundleUpdate
public import CBundle
import Synchronization

/// See `offline_bundles.h`.
@c @implementation
public func ob_check(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ feed: UnsafePointer<CChar>?,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    report?.pointee = nil
    return reporting(error) {
        let name = try CArgument.name(bundle)
        let feed = try feed.map { try CArgument.url($0, "the feed's URL") }
        let check = try client.wait(for: "the check of \(name)") { _ in try await client.client.check(name, feed: feed)
        }
        ReportHandle.store(ReportHandle([CheckReport(check)], isSingle: true), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_check_all(
    _ client: OpaquePointer,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    report?.pointee = nil
    return reporting(error) {
        let outcomes = try client.wait(for: "the check of all bundles") { _ in try await client.client.checkAll() }
        let reports = outcomes.map { CheckReport($0, message: Failure.text) }
        for check in reports { client.log?.note(check) }
        ReportHandle.store(ReportHandle(reports), at: report)
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
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    let progress = ProgressCallback(progress, context)
    report?.pointee = nil
    return reporting(error) {
        let name = try CArgument.name(bundle)
        let feed = try feed.map { try CArgument.url($0, "the feed's URL") }
        let result = try client.wait(for: "the update of \(name)") { call in
            try await client.client.update(name, feed: feed) { progress.report($0, call) }
        }
        let update = UpdateReport(result)
        client.log?.note(update)
        ReportHandle.store(ReportHandle([update], isSingle: true), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_update_all(
    _ client: OpaquePointer,
    _ progress: ob_bundle_progress_callback?,
    _ context: UnsafeMutableRawPointer?,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    let progress = BundleProgressCallback(progress, context)
    report?.pointee = nil
    return reporting(error) {
        let outcomes = try client.wait(for: "the update of all bundles") { call in
            try await client.client.updateAll { name, bytes in progress.report(name, bytes, call) }
        }
        let reports = outcomes.map { UpdateReport($0, message: Failure.text) }
        for update in reports { client.log?.note(update) }
        ReportHandle.store(ReportHandle(reports), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_precache(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    report?.pointee = nil
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        let reports = try client.wait(for: "fetching ahead") { _ in
            if let name { _ = try client.client.store.bundle(name) }
            return try await client.client.precache(name.map { [$0] })
        }
        ReportHandle.store(ReportHandle(reports.map(PrecacheSummary.init)), at: report)
    }
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
    func report<Result>(_ progress: ByteProgress, _ call: WaitingCall<Result>) {
        guard let callback else { return }
        call.asking { callback(context.pointer, progress.done, progress.total) }
    }
}

/// C's callback for the progress of work on several bundles, which may cancel it. Called by one thread at a time.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
private final class BundleProgressCallback: @unchecked Sendable {
    private let callback: ob_bundle_progress_callback?
    private let context: CContext
    /// Bundles are updated side by side.
    private let turn = Mutex(())

    init(_ callback: ob_bundle_progress_callback?, _ context: UnsafeMutableRawPointer?) {
        self.callback = callback
        self.context = CContext(pointer: context)
    }

    /// Calls C.
    func report<Result>(_ name: BundleName, _ progress: ByteProgress, _ call: WaitingCall<Result>) {
        guard let callback else { return }
        let name = CText(name.string)
        turn.withLock { _ in
            call.asking { callback(context.pointer, name.pointer, progress.done, progress.total) }
        }
    }
}
