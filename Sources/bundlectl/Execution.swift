import ArgumentParser
import BundleStore
import Foundation

/// Runs the verb that the command line names.
enum Execution {
    /// The result of a verb.
    private enum Outcome {
        case finished(ExitStatus)
        case failed(any Error)
    }

    /// Runs to the end, and reports an error unless a signal caused it.
    ///
    /// - Parameter interruption: Stops the work; nil for a verb that handles signals itself.
    /// - Returns: The exit code: that of an ``ExitStatus``, or 128 plus the signal's number, as in shells.
    static func run(_ command: sending any ParsableCommand, _ interruption: Interruption? = nil) async -> Int32 {
        let work = Task { await outcome(of: command) }
        interruption?.onSignal { work.cancel() }
        switch await work.value {
        case .finished(let status): return status.rawValue
        case .failed(let error):
            if let signal = interruption?.signal { return 128 + signal }
            Diagnostics.report(error)
            return ExitStatus(error).rawValue
        }
    }

    /// The verb that the command line names. Ends the program when there is none.
    static func parse() -> any ParsableCommand {
        do {
            return try BundleCtl.verb(
                of: Array(CommandLine.arguments.dropFirst()),
                environment: ProcessInfo.processInfo.environment
            )
        } catch let error as BundleError {
            Diagnostics.report(error)
            exit(ExitStatus(error).rawValue)
        } catch {
            guard BundleCtl.exitCode(for: error) != .success else { BundleCtl.exit(withError: error) }
            Diagnostics.report(UsageProblem(error, arguments: Array(CommandLine.arguments.dropFirst())).description)
            exit(ExitStatus.usage.rawValue)
        }
    }

    private static func outcome(of command: any ParsableCommand) async -> Outcome {
        var command = command
        do {
            if var verb = command as? any AsyncParsableCommand {
                try await verb.run()
            } else {
                try command.run()
            }
            return .finished(.done)
        } catch let end as EarlyEnd {
            return .finished(end.status)
        } catch let error where BundleCtl.exitCode(for: error) == .success {
            // The built-in verbs, such as “help”, end by throwing the text to print.
            BundleCtl.exit(withError: error)
        } catch {
            return .failed(error)
        }
    }
}

/// Calls `body`, and after it `end`, also when `body` throws: a `defer` can't wait.
func concluding<Success, Failure: Error>(
    _ body: () async throws(Failure) -> Success,
    finally end: () async -> Void
) async throws(Failure) -> Success {
    let result: Result<Success, Failure>
    do throws(Failure) {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    await end()
    return try result.get()
}
