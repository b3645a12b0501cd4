import HTTPCore
import HTTPTypes
import OfflineBundles

/// Responds to the tasks of a custom scheme from a client's layers: what a `WKURLSchemeHandler` does, without WebKit. Used on the
/// main thread alone, as WebKit uses a handler.
@MainActor
package final class SchemeLoader {
    private let client: BundleClient
    private var loads: [ObjectIdentifier: SchemeLoad] = [:]

    package init(_ client: BundleClient) {
        self.client = client
    }

    /// How many tasks haven't ended.
    package var runningCount: Int { loads.count }

    /// Starts a task. A bundled file in memory begins to arrive in the main loop's next turn.
    ///
    /// - Parameters:
    ///   - task: Used until it ends, or ``stop(_:)``.
    ///   - url: Such as `bundle://shop/products/`.
    ///   - scheme: That of the handler.
    ///   - content: That of the request, as far as the web view gives it.
    package func start(
        _ task: any SchemeTask,
        method: String,
        url: String,
        scheme: String = BundleSchemeURL.scheme,
        fields: [(name: String, value: String)],
        content: URLRequestContent = .none
    ) {
        let id = ObjectIdentifier(task)
        let load = SchemeLoad(task) { [weak self] in self?.loads[id] = nil }
        loads[id] = load
        guard let url = BundleSchemeURL(url, scheme: scheme),
            let mappings = client.store.snapshot.bundles[url.name]?.serving?.manifest.origins,
            let origin = url.url(in: mappings),
            let request = WebViewRequest(method: method, url: origin, fields: fields, content: content)
        else { return load.fail(.noBundle) }
        guard content.isThere(of: request, fields) else { return load.fail(.noContent) }
        let client = client
        let responder = SchemeResponder(mappings) { request in
            await client.respond(
                to: request.request,
                from: ClientExchange(content: request.content.body, interim: { _ in })
            )
        }
        load.run {
            let response = try await responder.response(to: request, of: url)
            if let failure = response.source.failure { throw SchemeFailure.noResponse(failure) }
            return response
        }
    }

    /// The web view doesn't want the response any more: the task is never told anything again.
    package func stop(_ task: any SchemeTask) {
        loads.removeValue(forKey: ObjectIdentifier(task))?.stop()
    }
}

/// One task on its way: tells it what the layers respond, until it ends or is stopped.
@MainActor
final class SchemeLoad {
    private let task: any SchemeTask
    private let onEnd: @MainActor () -> Void
    private var state = SchemeTaskState()
    private var work: Task<Void, Never>?

    init(_ task: any SchemeTask, onEnd: @escaping @MainActor () -> Void) {
        self.task = task
        self.onEnd = onEnd
    }

    /// Waits off the main thread, and tells the task on it. A chunk is read once the one before has been taken.
    func run(_ respond: @escaping @Sendable () async throws -> ServedResponse) {
        work = Task.detached {
            do {
                let response = try await respond()
                await self.receive(response.head)
                for body in try response.bodies() {
                    for try await chunk in body where !chunk.isEmpty {
                        try Task.checkCancellation()
                        await self.receive(chunk)
                    }
                }
                await self.finish()
            } catch {
                await self.fail(error as? SchemeFailure ?? .brokenOff(error))
            }
        }
    }

    /// Nothing is told after this.
    func stop() {
        _ = state.take(.stop)
        work?.cancel()
    }

    func fail(_ failure: SchemeFailure) {
        guard state.take(.fail) else { return }
        // The task may start another within this call.
        onEnd()
        task.didFail(failure)
    }

    private func receive(_ head: HTTPResponse) {
        if state.take(.head) { task.didReceive(head) }
    }

    private func receive(_ chunk: [UInt8]) {
        if state.take(.data) { task.didReceive(chunk) }
    }

    private func finish() {
        guard state.take(.finish) else { return }
        onEnd()
        task.didFinish()
    }
}

/// What a `WKURLSchemeTask` is told, without WebKit's types, so that the rules of its protocol can be tested anywhere.
///
/// Each call has to come from the main thread, the response before data and before the end, and nothing after the end or after the
/// web view has stopped the task: WebKit raises an exception otherwise, which ends the app.
@MainActor
package protocol SchemeTask: AnyObject {
    func didReceive(_ head: HTTPResponse)
    func didReceive(_ data: [UInt8])
    func didFinish()
    func didFail(_ failure: SchemeFailure)
}

extension URLRequestContent {
    /// The types that web views themselves give to a script's text and `URLSearchParams`, which may be empty (Fetch, “extract a body”). A
    /// `Blob` has neither of them: its type is in lower case (File API §3.1).
    private static let typesOfText = ["text/plain;charset=UTF-8", "application/x-www-form-urlencoded;charset=UTF-8"]

    /// The type of a form, which may have no fields. A navigation sends no `Blob`.
    private static let typeOfForm = "application/x-www-form-urlencoded"

    /// Whether there is content if the request says so, by a length or a type: an origin must not take a request whose content is lost
    /// for an empty one.
    ///
    /// - Parameter fields: As the web view gives them.
    fileprivate func isThere(of request: WebViewRequest, _ fields: [(name: String, value: String)]) -> Bool {
        guard case .none = self else { return true }
        if let length = fields.first(where: { $0.name.lowercased() == "content-length" }) {
            return Int(length.value) == 0
        }
        guard [.post, .put, .patch].contains(request.request.method),
            let type = request.request.headerFields[.contentType]
        else { return true }
        return Self.typesOfText.contains(type) || request.isPage && type == Self.typeOfForm
    }
}

/// Why a task gets no response, or not the whole.
package enum SchemeFailure: Error, Sendable {
    /// No bundle has the address.
    case noBundle
    /// The request has content, of which the web view gives nothing.
    case noContent
    /// A redirect leads to another origin, which a scheme's task can't be sent to, or needs content that can't be read again, or there
    /// are too many.
    case noRedirect
    /// No layer has a response.
    case noResponse(ResponseSource.Failure)
    /// The response breaks off.
    case brokenOff(any Error)
}

/// How far a task is, and so which call it may get next. Pure.
package struct SchemeTaskState: Equatable, Sendable {
    package enum Phase: Equatable, Sendable { case waiting, responded, ended }

    /// What is about to be told, or has happened.
    package enum Event: CaseIterable, Sendable { case head, data, finish, fail, stop }

    package private(set) var phase = Phase.waiting

    package init() {}

    /// Whether the task may be told this now; it counts as told then. A stopped task is never told anything.
    package mutating func take(_ event: Event) -> Bool {
        switch (phase, event) {
        case (.waiting, .head): phase = .responded
        case (.responded, .data): break
        case (.responded, .finish), (.waiting, .fail), (.responded, .fail): phase = .ended
        case (_, .stop):
            phase = .ended
            return false
        default: return false
        }
        return true
    }
}
