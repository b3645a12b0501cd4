import BundleModel
import BundleServing
import HTTPTypes

/// The steps of a request, whatever its protocol. For use on one event loop.
struct RequestCore: ~Copyable {
    /// The outcome of a request.
    enum Outcome {
        /// A ready response.
        case ready(ReadyForm)
        /// A response that isn't kept.
        case single(Response, ResponseSource)
        /// The request is malformed.
        case malformed(MalformedRequest)
        /// The response has to be awaited, for example from the network; nil when the responder has to be asked with all
        /// fields of the request first.
        case waiting(BegunRequest?)
    }

    private let responder: any RequestResponder
    private var responses: ReadyResponses
    private var key = ReadyKey()
    private var generation: Int64

    /// - Parameter capacity: The minimum number of ready responses kept.
    init(_ responder: any RequestResponder, capacity: Int) {
        self.responder = responder
        responses = ReadyResponses(capacity: capacity)
        generation = responder.generation
    }

    /// Responds to a GET or HEAD for a path.
    ///
    /// - Parameters:
    ///   - port: The server's own port; nil for a Unix socket.
    ///   - complete: Makes the request with all its fields; nil when it is malformed.
    mutating func respond(
        to view: RequestView,
        as format: HeadFormat,
        at port: @autoclosure () -> Int?,
        _ complete: () -> HTTPRequest?
    ) -> Outcome {
        // 1. Responses from an earlier state of the store are dropped.
        forgetOutdated()
        // 2. The ready response to the same deciding fields is found, or made.
        guard key.take(view, as: format) else { return respondOnce(to: view) }
        guard let ready = found(), Self.allows(ready, view) else {
            return make(for: view, as: format, at: port(), complete)
        }
        // 3. Its conditions and its range select how much of the representation is sent.
        return respond(to: view, with: ready)
    }

    /// Drops responses from an earlier state of the store, which would keep its files from being freed.
    mutating func forgetOutdated() {
        let current = responder.generation
        guard current != generation else { return }
        generation = current
        responses.removeAll()
    }

    /// Drops what isn't sent again, which would keep memory or files from being freed. Called about once a second.
    mutating func sweep() {
        forgetOutdated()
        responses.sweep()
    }

    private mutating func found() -> ReadyResponse? {
        if let ready = responses.response(for: key.path), ready.isForPath || !key.hasQuery { return ready }
        return key.hasQuery ? responses.response(for: key.target) : nil
    }

    /// Whether a ready response may be sent to a request.
    @inline(__always)
    private static func allows(_ ready: ReadyResponse, _ view: RequestView) -> Bool {
        // A bundled file doesn't depend on the directives for caches.
        ready.validity == nil || !view.fields.hasCacheDirective && ready.isCurrent
    }

    private mutating func make(
        for view: RequestView,
        as format: HeadFormat,
        at port: @autoclosure () -> Int?,
        _ complete: () -> HTTPRequest?
    ) -> Outcome {
        guard view.authority.map(HostField.isValid) ?? true else { return .malformed(.host) }
        // A request for the whole, which may have to be awaited, is begun with all its fields at once.
        let whole = view.method == .get && !view.fields.hasCondition ? complete() : nil
        let start =
            whole.map { responder.begin($0, at: port()) } ?? responder.begin(deciding: view.unconditionalRequest)
        switch (start, whole) {
        case (.waiting(let rest), let whole?): return .waiting(BegunRequest(request: whole, response: rest))
        case (.waiting, nil): return .waiting(nil)
        case (.complete(let response, let source, let reuse), _):
            let key = reuse.scope == .path ? key.path : key.target
            guard reuse.scope != .never, let ready = ReadyResponse(response, source, reuse, as: format, key: key),
                Self.allows(ready, view), !ready.hasFaulted
            else {
                return whole == nil || response.body.hasFaulted ? respondOnce(to: view) : .single(response, source)
            }
            responses.insert(ready, for: key)
            return respond(to: view, with: ready)
        }
    }

    private func respond(to view: RequestView, with ready: ReadyResponse) -> Outcome {
        // Its content is damaged; the responder handles that.
        guard !ready.hasFaulted else { return respondOnce(to: view) }
        let isHead = view.method == .head
        if ready.leavesConditions, view.fields.hasCondition { return respondOnce(to: view) }
        guard view.fields.hasCondition, let validators = ready.validators else {
            return .ready(ready.whole(isHead: isHead))
        }
        let conditions = view.conditions
        // The client may have another coding, which is then the one to select.
        if !view.asksForPart, let value = conditions.ifNoneMatch, ready.mayBeOfOtherCoding(value) {
            return respondOnce(to: view)
        }
        switch ResponseSelection(isHead: isHead, conditions, validators: validators, length: ready.length) {
        case .whole: return .ready(ready.whole(isHead: isHead))
        case .notModified: return respond(to: view, with: ready, .notModified)
        case .preconditionFailed: return respond(to: view, with: ready, .preconditionFailed)
        case .rangeNotSatisfiable: return respond(to: view, with: ready, .rangeNotSatisfiable)
        case .parts(let parts) where parts.count == 1: return respond(to: view, with: ready, .part, parts[0])
        case .parts: return respondOnce(to: view)
        }
    }

    private func respond(
        to view: RequestView,
        with ready: ReadyResponse,
        _ kind: ReadyResponse.Kind,
        _ range: Range<Int>? = nil
    ) -> Outcome {
        if let form = ready.form(kind, isHead: view.method == .head, range: range) { return .ready(form) }
        let outcome = respondOnce(to: view)
        guard case .single(let response, _) = outcome, response.head.status == kind.status,
            view.method == .get || response.body.isEmpty && kind == .notModified,
            responder.generation == generation, ready.isCurrent
        else { return outcome }
        ready.keep(response, as: kind)
        return ready.form(kind, isHead: false, range: range).map { .ready($0) } ?? outcome
    }

    private func respondOnce(to view: RequestView) -> Outcome {
        guard view.authority.map(HostField.isValid) ?? true else { return .malformed(.host) }
        switch responder.begin(deciding: view.request) {
        case .complete(let response, let source, _): return .single(response, source)
        case .waiting: return .waiting(nil)
        }
    }

    /// Asks the responder with all fields of a request, which may select a stored response.
    ///
    /// - Parameter port: The server's own port; nil for a Unix socket.
    func ask(_ request: HTTPRequest, at port: Int?) -> Outcome {
        switch responder.begin(request, at: port) {
        case .complete(let response, let source, _): .single(response, source)
        case .waiting(let rest): .waiting(BegunRequest(request: request, response: rest))
        }
    }
}
