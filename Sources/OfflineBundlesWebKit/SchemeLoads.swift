import Foundation
import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Loads the tasks of a web view by a client's layers, and keeps the rules of ``SchemeTask`` whenever a task is stopped.
///
/// Everything happens on one queue: the session tells its delegate there, and the web view starts and stops tasks there. So a
/// task that has been stopped is one that isn't known any more when something arrives for it.
///
/// `@unchecked Sendable`: used on that queue alone.
package final class SchemeLoads: @unchecked Sendable {
    private let session: URLSession
    private let deliveries: SchemeDeliveries

    /// - Parameters:
    ///   - client: What responds; it isn't retained.
    ///   - scheme: The scheme of the app's own, in lower case; see `LoadingOptions.scheme`.
    ///   - queue: Where tasks are started, stopped and told of what arrives; it runs one operation at a time. Default: the main
    ///     queue, as web views want it.
    package init(_ client: BundleClient, scheme: String, queue: OperationQueue = .main) {
        let configuration = URLSessionConfiguration.ephemeral
        var options = LoadingOptions()
        options.scheme = scheme
        BundleURLProtocol.install(client, in: configuration, options: options)
        deliveries = SchemeDeliveries()
        session = URLSession(configuration: configuration, delegate: deliveries, delegateQueue: queue)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// Starts a task.
    package func start(_ task: any SchemeTask) {
        let load = session.dataTask(with: task.request)
        deliveries.loads[load.taskIdentifier] = SchemeDeliveries.Load(task: task, load: load)
        load.resume()
    }

    /// Stops a task, which isn't told anything from now on. Does nothing for one that has ended.
    package func stop(_ task: any SchemeTask) {
        for (identifier, load) in deliveries.loads where load.task === task {
            deliveries.loads[identifier] = nil
            load.load.cancel()
        }
    }
}

/// What arrives for tasks. Apart from the loads, since a session retains its delegate.
///
/// `@unchecked Sendable`: used on the session's delegate queue alone.
private final class SchemeDeliveries: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    struct Load {
        let task: any SchemeTask
        let load: URLSessionTask
        var hasResponse = false
    }

    var loads: [Int: Load] = [:]

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let load = loads[dataTask.taskIdentifier], !load.hasResponse {
            // Before the task is told: it may be stopped by that.
            loads[dataTask.taskIdentifier]?.hasResponse = true
            load.task.didReceive(response)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let load = loads[dataTask.taskIdentifier], load.hasResponse else { return }
        load.task.didReceive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let load = loads.removeValue(forKey: task.taskIdentifier) else { return }
        if let error {
            load.task.didFailWithError(error)
        } else if load.hasResponse {
            load.task.didFinish()
        } else {
            load.task.didFailWithError(URLError(.badServerResponse))
        }
    }
}
