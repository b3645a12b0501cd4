// What this project uses of BackgroundTasks, as Apple documents it; see WebKit.swift beside it.

public import Dispatch
public import Foundation

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
    // For tests, which use it on one thread at a time.
    nonisolated(unsafe) private static var only = BGTaskScheduler()

    /// For tests: whether the app has finished launching.
    package var hasLaunched = false
    /// For tests: whether background tasks are available, as they aren't in a simulator, nor when a person has switched them off.
    package var isAvailable = true
    /// For tests: the requests that wait, by their identifiers.
    package private(set) var pending: [String: BGTaskRequest] = [:]
    private var handlers: [String: (BGTask) -> Void] = [:]

    /// For tests: the scheduler of a process that has just been started.
    package static func restart() { only = BGTaskScheduler() }

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
        precondition(!hasLaunched, "the system raises an exception for a handler that is registered after the launch")
        guard Self.isPermitted(identifier) else { return false }
        precondition(handlers[identifier] == nil, "the system raises an exception for a second handler of a task")
        handlers[identifier] = launchHandler
        return true
    }

    /// Replaces a request with the same identifier. An app has one task for refreshing at a time.
    ///
    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/submit(_:)>
    public func submit(_ taskRequest: BGTaskRequest) throws {
        guard isAvailable else { throw Error(code: .unavailable) }
        guard Self.isPermitted(taskRequest.identifier) else { throw Error(code: .notPermitted) }
        guard pending.keys.allSatisfy({ $0 == taskRequest.identifier }) else {
            throw Error(code: .tooManyPendingTaskRequests)
        }
        pending[taskRequest.identifier] = taskRequest
    }

    /// For tests: starts a task, as the system does when it is time.
    package func launch(_ task: BGTask) {
        pending[task.identifier] = nil
        guard let handler = handlers[task.identifier] else {
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
