// What this project uses of BackgroundTasks, as Apple documents it; see WebKit.swift beside it.

public import Dispatch
public import Foundation

/// <https://developer.apple.com/documentation/backgroundtasks/bgtask>, iOS 13.
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
public final class BGAppRefreshTask: BGTask {}

/// <https://developer.apple.com/documentation/backgroundtasks/bgtaskrequest>, iOS 13.
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
public final class BGAppRefreshTaskRequest: BGTaskRequest {
    /// <https://developer.apple.com/documentation/backgroundtasks/bgapprefreshtaskrequest/init(identifier:)>
    public init(identifier: String) { super.init(identifier) }
}

/// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler>, iOS 13.
public final class BGTaskScheduler: NSObject {
    // For tests, which use it on one thread at a time.
    nonisolated(unsafe) private static let only = BGTaskScheduler()

    private var handlers: [String: (BGTask) -> Void] = [:]
    /// For tests: what was submitted, in its order.
    package private(set) var requests: [BGTaskRequest] = []

    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/shared>
    public class var shared: BGTaskScheduler { only }

    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/register(fortaskwithidentifier:using:launchhandler:)>
    public func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        // The identifier has to be one of the app's property list.
        guard identifier.hasPrefix("com.example.") else { return false }
        precondition(handlers[identifier] == nil, "the system raises an exception for a second handler of a task")
        handlers[identifier] = launchHandler
        return true
    }

    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/submit(_:)>
    public func submit(_ taskRequest: BGTaskRequest) throws { requests.append(taskRequest) }

    /// For tests: starts a task, as the system does when it is time.
    package func launch(_ task: BGTask) { handlers[task.identifier]?(task) }
}
