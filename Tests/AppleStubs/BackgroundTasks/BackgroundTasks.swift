// What this project uses of BackgroundTasks, as Apple documents it; see WebKit.swift beside it.

public import Dispatch
public import Foundation
import Synchronization

/// <https://developer.apple.com/documentation/backgroundtasks/bgtask>, iOS 13.
@available(macOS, unavailable)
open class BGTask: NSObject {
    /// <https://developer.apple.com/documentation/backgroundtasks/bgtask/identifier>
    public let identifier: String
    /// <https://developer.apple.com/documentation/backgroundtasks/bgtask/expirationhandler>
    public var expirationHandler: (() -> Void)?
    /// For tests: what the task was said to be completed with; more than one entry would be a mistake of the app.
    package private(set) var completions: [Bool] = []
    /// For tests: called with each completion.
    package var onCompletion: ((Bool) -> Void)?

    /// For tests: the system makes tasks.
    package init(identifier: String) {
        self.identifier = identifier
    }

    /// <https://developer.apple.com/documentation/backgroundtasks/bgtask/settaskcompleted(success:)>
    open func setTaskCompleted(success: Bool) {
        completions.append(success)
        onCompletion?(success)
    }
}

/// <https://developer.apple.com/documentation/backgroundtasks/bgapprefreshtask>, iOS 13.
@available(macOS, unavailable)
public final class BGAppRefreshTask: BGTask {}

/// <https://developer.apple.com/documentation/backgroundtasks/bgtaskrequest>, iOS 13.
@available(macOS, unavailable)
open class BGTaskRequest: NSObject {
    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskrequest/identifier>
    public let identifier: String
    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskrequest/earliestbegindate>
    public var earliestBeginDate: Date?

    fileprivate init(_ identifier: String) {
        self.identifier = identifier
    }
}

/// <https://developer.apple.com/documentation/backgroundtasks/bgapprefreshtaskrequest>, iOS 13.
@available(macOS, unavailable)
public final class BGAppRefreshTaskRequest: BGTaskRequest {
    /// <https://developer.apple.com/documentation/backgroundtasks/bgapprefreshtaskrequest/init(identifier:)>
    public init(identifier: String) { super.init(identifier) }
}

/// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler>, iOS 13.
@available(macOS, unavailable)
public final class BGTaskScheduler: NSObject {
    private struct State {
        var hasLaunched = false
        var isAvailable = true
        var pending: [String: Date?] = [:]
        var submissionCount = 0
    }

    // For tests: one at a time starts a process.
    nonisolated(unsafe) private static var only = BGTaskScheduler()

    private let state = Mutex(State())
    // Written while the app is being launched.
    private var handlers: [String: (BGTask) -> Void] = [:]

    /// For tests: the scheduler of a process that has just been started.
    package static func restart() { only = BGTaskScheduler() }

    /// For tests: background tasks aren't available, as in a simulator, or when a person has switched them off.
    package func switchOff() { state.withLock { $0.isAvailable = false } }

    /// For tests: the earliest times of the requests that wait, by their identifiers.
    package var pending: [String: Date?] { state.withLock(\.pending) }

    /// For tests: how many requests were submitted, refused ones too.
    package var submissionCount: Int { state.withLock(\.submissionCount) }

    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/shared>
    public class var shared: BGTaskScheduler { only }

    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/register(fortaskwithidentifier:using:launchhandler:)>
    @available(iOSApplicationExtension, unavailable)
    @available(tvOSApplicationExtension, unavailable)
    @available(visionOSApplicationExtension, unavailable)
    public func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        precondition(
            !state.withLock(\.hasLaunched),
            "the system raises an exception for a handler that is registered after the launch"
        )
        guard Self.isPermitted(identifier) else { return false }
        precondition(handlers[identifier] == nil, "the system raises an exception for a second handler of a task")
        handlers[identifier] = launchHandler
        return true
    }

    /// Replaces a request with the same identifier. An app has one task for refreshing at a time.
    ///
    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/submit(_:)>
    public func submit(_ taskRequest: BGTaskRequest) throws {
        let (identifier, date) = (taskRequest.identifier, taskRequest.earliestBeginDate)
        try state.withLock { state in
            state.submissionCount += 1
            guard state.isAvailable else { throw Error(code: .unavailable) }
            guard Self.isPermitted(identifier) else { throw Error(code: .notPermitted) }
            guard state.pending.keys.allSatisfy({ $0 == identifier }) else {
                throw Error(code: .tooManyPendingTaskRequests)
            }
            state.pending[identifier] = .some(date)
        }
    }

    /// For tests: starts a task, as the system does when it is time and the app has been launched.
    package func launch(_ task: BGTask) {
        let identifier = task.identifier
        state.withLock { state in
            state.hasLaunched = true
            state.pending[identifier] = nil
        }
        guard let handler = handlers[identifier] else {
            preconditionFailure("the system ends an app that has no handler for its task")
        }
        handler(task)
    }

    /// In place of the app's property list.
    private static func isPermitted(_ identifier: String) -> Bool { identifier.hasPrefix("com.example.") }

    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/error-swift.struct>
    public struct Error: Swift.Error {
        /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/error-swift.struct/code>
        public enum Code: Int, Sendable {
            case unavailable = 1
            case tooManyPendingTaskRequests = 2
            case notPermitted = 3
        }

        /// The error's kind.
        public let code: Code
    }
}
