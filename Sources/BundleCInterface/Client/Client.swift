import BundleEmbedding
import BundleStore
public import CBundle
import Synchronization

/// See `offline_bundles.h`.
@c @implementation
public func ob_open(
    _ path: UnsafePointer<CChar>,
    _ options: UnsafePointer<ob_options>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    reporting(error) {
        let path = try CArgument.text(path, "the store's path")
        return Handle.make(try ClientHandle(at: path, options))
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_close(_ client: OpaquePointer?) {
    guard let client else { return }
    Handle<ClientHandle>.object(client).close()
    Handle<ClientHandle>.release(client)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_set_metered(_ client: OpaquePointer, _ is_metered: Bool) {
    Handle<ClientHandle>.object(client).client.link.isMetered = is_metered
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_set_link_up(_ client: OpaquePointer, _ is_up: Bool) {
    Handle<ClientHandle>.object(client).client.link.isUp = is_up
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_set_rules(
    _ client: OpaquePointer,
    _ json: UnsafePointer<CChar>?,
    _ folder: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let folder = try folder.map { try CArgument.text($0, "the folder of the mocks") } ?? ""
        client.rules =
            try json.map { json in
                let text = try CArgument.text(json, "the list of rules")
                return try CommonRules.parse(Array(text.utf8), named: "ob_set_rules", mocksIn: folder).rules
            } ?? CommonRules()
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_refresh(_ client: OpaquePointer) { Handle<ClientHandle>.object(client).client.refresh() }

/// What an `ob_client` is. Thread-safe.
final class ClientHandle: Sendable {
    let client: BundleClient
    /// What calls the program.
    let callbacks = ClientCallbacks()
    /// Nil when messages aren't wanted.
    let log: ClientLog?
    private let closed = Atomic(false)

    /// Opens the store in a folder, or makes one.
    ///
    /// - Throws: As ``ClientOptions``, and as `BundleClient` does.
    init(at path: String, _ options: UnsafePointer<ob_options>?) throws {
        let options = try ClientOptions(options, callbacks)
        log = options.log
        do {
            client = try BundleClient(at: path, transport: options.transport, configuration: options.configuration)
        } catch {
            options.log?.close()
            callbacks.waitForEnd()
            throw error
        }
    }

    /// Ends what runs, and waits for the program's callbacks.
    func close() {
        closed.store(true, ordering: .releasing)
        log?.close()
        client.close()
        callbacks.close()
        callbacks.waitForEnd()
    }

    /// - Throws: ``ClientCallbacks/closed`` once the client is closed.
    func checkOpen() throws(BundleError) {
        guard !closed.load(ordering: .acquiring) else { throw ClientCallbacks.closed }
    }

    /// Runs work that may call the program, and waits for it. It is cancelled when the client is closed.
    ///
    /// - Parameters:
    ///   - name: What the log calls the work; nil when its failure isn't worth a message.
    ///   - work: Gets the way to the program.
    /// - Throws: ``ClientCallbacks/closed`` when the client is closed meanwhile; what the work throws.
    func wait<Result: Sendable>(
        for name: String? = nil,
        _ work: @escaping @Sendable (WaitingCall<Result>) async throws -> Result
    ) throws -> Result {
        let calls = try callbacks.begin(isAwaited: true)
        defer { calls.end() }
        do {
            return try Waiting.run { waiting in
                calls.onClose(waiting.cancel)
                return try await work(WaitingCall(work: calls, waiting: waiting))
            }
        } catch is CancellationError {
            try checkOpen()
            throw CancellationError()
        } catch {
            if let name { log?.note(OB_LOG_WARNING, "\(name) failed: \(Failure.text(of: error))") }
            throw error
        }
    }
}

/// A call of C's that waits for work, which may call the program. Thread-safe.
struct WaitingCall<Result: Sendable>: Sendable {
    let work: CallbackWork
    let waiting: Waiting<Result>

    /// Asks the program whether to go on; cancels the work if not.
    func asking(_ callback: () -> Bool) {
        if !work.call(callback) { waiting.cancel() }
    }
}
