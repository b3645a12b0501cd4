import BundleNetwork
import BundleStore
import Foundation
import HTTPCore

/// Runs a command for each event, with the event on its standard input.
///
/// The shell gets nothing but the operator's own words: what comes from feeds and pages is on standard input alone.
struct CommandHook: EventHook {
    /// How long a command may run; then its process group is killed.
    static let defaultTimeLimit: Duration = .seconds(10)

    let command: String
    /// The store's folder, which the command gets as `BUNDLECTL_STORE`.
    let store: String
    let clock: any Clock<Duration>
    var timeLimit = Self.defaultTimeLimit

    var title: String { "--on-event" }

    func deliver(_ event: UpdateEvent) async throws {
        let document = JSONDocument.line(of: event) + "\n"
        let child = try ShellProcess(command, input: .text(document), environment: environment)
        let timeout = Task { [clock, timeLimit] in
            try await clock.sleep(for: timeLimit)
            child.kill()
        }
        defer { timeout.cancel() }
        let status = await withTaskCancellationHandler {
            await withTaskExecutorPreference(BlockingExecutor()) { child.wait() }
        } onCancel: {
            child.kill()
        }
        try Task.checkCancellation()
        switch status {
        case .exited(0): return
        case .exited(let code): throw failure("exited with \(code)")
        case .killed: throw failure("was killed: it ran for over \(timeLimit), or got a signal")
        }
    }

    /// The little that a shell needs; whatever else is in this process's environment may be secret.
    private var environment: [String: String] {
        let own = ProcessInfo.processInfo.environment
        var environment = own.filter { ["HOME", "LANG", "TZ", "USER"].contains($0.key) }
        environment["PATH"] = own["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        environment["BUNDLECTL_STORE"] = store
        return environment
    }

    private func failure(_ what: String) -> BundleError {
        BundleError(.outputUnavailable, "“\(command)” \(what)")
    }
}
