import BundleModel
import HTTPCore
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
        /// The response has to be awaited, for example from the network.
        case waiting(BegunRequest)
    }

    /// Makes the request with all its fields.
    typealias Complete = () throws(MalformedRequest) -> HTTPRequest

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
    ///   - connection: What the response depends on of the connection.
    ///   - complete: Makes the request for the responder, unless there is a ready response.
    mutating func respond(
        to view: RequestView,
        as format: HeadFormat,
        on connection: ConnectionInfo,
        _ complete: Complete
    ) -> Outcome {
        // 1. Responses from an earlier state of the store are dropped.
        forgetOutdated()
        // 2. The ready response to the same deciding fields is found, or made.
        guard key.take(view, as: format, on: connection) else { return respondOnce(on: connection, complete) }
        guard let ready = found(for: view, complete) else {
            return make(for: view, as: format, on: connection, complete)
        }
        // 3. Its conditions and its range select how much of the representation is sent.
        return respond(to: view, with: ready, on: connection, complete)
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

    /// The ready response that may be sent to a request.
    private mutating func found(for view: RequestView, _ complete: Complete) -> ReadyResponse? {
        if let ready = responses.response(for: key.path), ready.isForPath || !key.hasQuery, Self.allows(ready, view) {
            return ready
        }
        if key.hasQuery, let ready = responses.response(for: key.target), Self.allows(ready, view) { return ready }
        // Stored responses to one target may be selected by any field (RFC 9111 §4.1).
        guard let selectors = responses.selectors(of: key.target), key.add(selectors, of: view, complete),
            let ready = responses.response(for: key.selected), Self.allows(ready, view)
        else { return nil }
        return ready
    }

    /// The key that a response is kept by; nil when there is none.
    private mutating func place(
        of reuse: ResponseStart.Reuse,
        for view: RequestView,
        _ complete: Complete
    ) -> UnsafeRawBufferPointer? {
        switch reuse.scope {
        case .never: return nil
        case .path: return key.path
        case .target:
            guard let selectors = responses.note(reuse.selectors, of: key.target) else { return nil }
            guard !selectors.isEmpty else { return key.target }
            return key.add(selectors, of: view, complete) ? key.selected : nil
        }
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
        on connection: ConnectionInfo,
        _ complete: Complete
    ) -> Outcome {
        let request: HTTPRequest
        do throws(MalformedRequest) { request = try complete() } catch { return .malformed(error) }
        let isWhole = view.method == .get && !view.fields.hasCondition
        switch responder.begin(isWhole ? request : view.unconditional(request), on: connection) {
        case .waiting(let rest) where isWhole: return .waiting(BegunRequest(request: request, response: rest))
        case .waiting: return ask(request, on: connection)
        case .complete(let response, let source, let reuse):
            guard let place = place(of: reuse, for: view, { request }),
                let ready = ReadyResponse(response, source, reuse, as: format, key: place),
                Self.allows(ready, view), !ready.hasFaulted
            else {
                guard isWhole, !response.body.hasFaulted else { return ask(request, on: connection) }
                return .single(response, source)
            }
            responses.insert(ready, for: place)
            return respond(to: view, with: ready, on: connection) { request }
        }
    }

    private func respond(
        to view: RequestView,
        with ready: ReadyResponse,
        on connection: ConnectionInfo,
        _ complete: Complete
    ) -> Outcome {
        // Its content is damaged; the responder handles that.
        guard !ready.hasFaulted else { return respondOnce(on: connection, complete) }
        let isHead = view.method == .head
        if ready.leavesConditions, view.fields.hasCondition { return respondOnce(on: connection, complete) }
        guard view.fields.hasCondition, let validators = ready.validators else {
            return .ready(ready.whole(isHead: isHead))
        }
        let conditions = view.conditions
        // The client may have another coding, which is then the one to select.
        if !view.asksForPart, let value = conditions.ifNoneMatch, ready.mayBeOfOtherCoding(value) {
            return respondOnce(on: connection, complete)
        }
        let form: (ReadyResponse.Kind, Range<Int>?)
        switch ResponseSelection(isHead: isHead, conditions, validators: validators, length: ready.length) {
        case .whole: return .ready(ready.whole(isHead: isHead))
        case .notModified: form = (.notModified, nil)
        case .preconditionFailed: form = (.preconditionFailed, nil)
        case .rangeNotSatisfiable: form = (.rangeNotSatisfiable, nil)
        case .parts(let parts) where parts.count == 1: form = (.part, parts[0])
        case .parts: return respondOnce(on: connection, complete)
        }
        if let form = ready.form(form.0, isHead: isHead, range: form.1) { return .ready(form) }
        return keep(form.0, of: ready, respondOnce(on: connection, complete), view, form.1)
    }

    /// Keeps what the responder made as a form of a ready response, if it is one.
    private func keep(
        _ kind: ReadyResponse.Kind,
        of ready: ReadyResponse,
        _ outcome: Outcome,
        _ view: RequestView,
        _ range: Range<Int>?
    ) -> Outcome {
        guard case .single(let response, _) = outcome, response.head.status == kind.status,
            view.method == .get || response.body.isEmpty && kind == .notModified,
            responder.generation == generation, ready.isCurrent
        else { return outcome }
        ready.keep(response, as: kind)
        return ready.form(kind, isHead: false, range: range).map { .ready($0) } ?? outcome
    }

    private func respondOnce(on connection: ConnectionInfo, _ complete: Complete) -> Outcome {
        do throws(MalformedRequest) { return ask(try complete(), on: connection) } catch { return .malformed(error) }
    }

    /// Asks the responder.
    private func ask(_ request: HTTPRequest, on connection: ConnectionInfo) -> Outcome {
        switch responder.begin(request, on: connection) {
        case .complete(let response, let source, _): .single(response, source)
        case .waiting(let rest): .waiting(BegunRequest(request: request, response: rest))
        }
    }
}

/// A request that the responder has begun, and whose response has to be awaited.
struct BegunRequest: Sendable {
    let request: HTTPRequest
    /// Awaits the response; to be called once.
    let response: @Sendable (ClientExchange) async -> ServedResponse
}

/// Validation of `Host` and `:authority`.
enum HostField {
    /// Whether a value is empty, or a host with an optional port and nothing else (RFC 9110 §7.2).
    static func isValid(_ value: String) -> Bool {
        guard !value.isEmpty else { return true }
        return (try? HTTPURL("http://\(value)"))?.endsWithAuthority ?? false
    }
}

extension HTTPResponse {
    /// Whether another response to the same request follows. A switch of protocols is the last one.
    var isInterim: Bool { status.kind == .informational && status != .switchingProtocols }
}

extension HTTPFields {
    /// The fields of an interim response, which has no content (RFC 9110 §15.2), without those of a connection (§7.6.1).
    var asInterim: HTTPFields {
        var fields = self
        for name in [HTTPField.Name.connection, .contentLength, .transferEncoding, .upgrade, .trailer] {
            fields[name] = nil
        }
        return fields
    }
}
