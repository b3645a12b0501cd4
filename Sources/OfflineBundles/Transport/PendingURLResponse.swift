import BundleEmbedding
import Dispatch
import Foundation
import HTTPTypes
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response between the session that it arrives by and the task that waits for it.
///
/// Thread-safe; one task at a time may wait.
final class PendingURLResponse: Sendable {
    private struct State {
        var head: HTTPResponse?
        var headWaiter: CheckedContinuation<HTTPResponse, any Error>?
        var content = ReceivedContent()
        var reader: CheckedContinuation<Void, Never>?
        var end: Result<Void, any Error>?
        var isSuspended = false
        var lastArrival = ContinuousClock.now
    }

    private enum Step {
        case content([UInt8], resumes: Bool)
        case end(Result<Void, any Error>)
        case wait
    }

    /// On Linux, what a suspended task's connection brings is delivered nevertheless.
    #if canImport(FoundationNetworking)
        private static let canSuspend = false
    #else
        private static let canSuspend = true
    #endif

    let task: URLSessionDataTask
    private let failure: URLSessionFailure
    private let limits: URLSessionLimits
    private let onInterim: (@Sendable (HTTPResponse) -> Void)?
    private let state = Mutex(State())

    /// - Parameter task: Not started.
    init(
        _ task: URLSessionDataTask,
        _ failure: URLSessionFailure,
        _ limits: URLSessionLimits,
        onInterim: (@Sendable (HTTPResponse) -> Void)?
    ) {
        self.task = task
        self.failure = failure
        self.limits = limits
        self.onInterim = onInterim
    }
}

// MARK: - The session's side

extension PendingURLResponse {
    func receive(_ response: HTTPURLResponse) {
        let tags = task.originalRequest?.value(forHTTPHeaderField: "If-None-Match")
        let head = HTTPResponse(response, tags: tags)
        guard head.status.kind != .informational else {
            state.withLock { $0.lastArrival = .now }
            if head.status.code != 100 { onInterim?(head) }
            return
        }
        state.withLock { state -> CheckedContinuation<HTTPResponse, any Error>? in
            guard state.head == nil, state.end == nil else { return nil }
            state.head = head
            state.lastArrival = .now
            return state.headWaiter.take()
        }?
        .resume(returning: head)
        if !head.isEventStream { watchSilence(for: limits.silence) }
    }

    func receive(_ data: Data) {
        let (reader, suspends, isExcess) = state.withLock { state in
            guard state.end == nil else { return (CheckedContinuation<Void, Never>?.none, false, false) }
            state.lastArrival = .now
            do {
                try state.content.append([UInt8](data))
            } catch {
                state.end = .failure(error)
            }
            let suspends = Self.canSuspend && state.content.isFull && !state.isSuspended
            if suspends { state.isSuspended = true }
            return (state.reader.take(), suspends, state.content.byteCount > limits.unreadByteCount)
        }
        if suspends { task.suspend() }
        reader?.resume()
        if isExcess { fail(failure.excess) }
    }

    func end(_ error: (any Error)?) {
        let isReading = state.withLock { $0.head != nil }
        end(with: error.map { .failure(failure.error(from: $0, isReading: isReading)) } ?? .success(()))
    }

    /// Ends the exchange. What has arrived can still be read.
    private func fail(_ error: any Error) {
        end(with: .failure(error))
        // Not on this thread: on Linux it waits for the queue that all sessions share, from which this may be called.
        DispatchQueue.global().async { [task] in task.cancel() }
    }

    private func end(with result: Result<Void, any Error>) {
        let (headWaiter, reader, end) = state.withLock { state in
            let end = state.end ?? result
            state.end = end
            return (state.headWaiter.take(), state.reader.take(), end)
        }
        if case .failure(let error) = end {
            headWaiter?.resume(throwing: error)
        } else {
            headWaiter?.resume(throwing: failure.noResponse)
        }
        reader?.resume()
    }
}

// MARK: - The task's side

extension PendingURLResponse {
    /// Starts the request and waits for the head.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable`; `CancellationError`.
    func head() async throws -> HTTPResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let end = state.withLock { state -> Result<Void, any Error>? in
                    guard state.end == nil else { return state.end }
                    state.headWaiter = waiter
                    state.lastArrival = .now
                    return nil
                }
                if case .failure(let error) = end { return waiter.resume(throwing: error) }
                task.resume()
                watchSilence(for: limits.firstByte)
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    /// The next part of the content; nil at its end.
    func next() async throws -> [UInt8]? {
        while true {
            switch try takeStep() {
            case .content(let content, let resumes):
                if resumes { task.resume() }
                return content
            case .end(let end):
                try end.get()
                return nil
            case .wait: await waitForMore()
            }
        }
    }

    private func takeStep() throws -> Step {
        try state.withLock { state in
            if case .failure(let error) = state.end, error is CancellationError { throw error }
            guard let content = try state.content.take() else { return state.end.map(Step.end) ?? .wait }
            let resumes = state.isSuspended && !state.content.isFull
            if resumes {
                state.isSuspended = false
                state.lastArrival = .now
            }
            return .content(content, resumes: resumes)
        }
    }

    private func waitForMore() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let isReadable = state.withLock { state in
                    guard state.content.isEmpty, state.end == nil else { return true }
                    state.reader = reader
                    return false
                }
                if isReadable { reader.resume() }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    /// Nobody will read the rest.
    func abandon() {
        guard state.withLock({ $0.end == nil }) else { return }
        fail(CancellationError())
    }
}

// MARK: - Silence

extension PendingURLResponse {
    /// Ends the exchange when nothing arrives for too long.
    private func watchSilence(for duration: Duration) {
        let nanoseconds = min(duration / .nanoseconds(1), 1e18)
        let end = ContinuousClock.now + duration
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in
            self?.checkSilence(isLate: end.duration(to: .now) > Self.lateness)
        }
    }

    /// How late a timer is at least if the process was suspended meanwhile.
    private static let lateness: Duration = .seconds(5)

    /// - Parameter isLate: Whether the process was suspended. What has arrived meanwhile is told after that, so it has another while.
    private func checkSilence(isLate: Bool) {
        let (rest, isReading) = state.withLock { state -> (Duration?, Bool) in
            guard state.end == nil, state.head?.isEventStream != true else { return (nil, false) }
            if isLate { state.lastArrival = .now }
            // What waits for the reader isn't silent.
            let since = state.isSuspended ? .zero : state.lastArrival.duration(to: .now)
            return ((state.head == nil ? limits.firstByte : limits.silence) - since, state.head != nil)
        }
        guard let rest else { return }
        if rest > .zero { watchSilence(for: rest) } else { fail(failure.silence(isReading: isReading)) }
    }
}

/// The content of a response, read once.
struct URLResponseBody: AsyncSequence, Sendable {
    let owner: URLResponseOwner

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(owner: owner) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let owner: URLResponseOwner

        func next() async throws -> [UInt8]? { try await owner.response.next() }
    }
}

/// Ends the request of a response that nobody reads any more, and keeps the session until then.
final class URLResponseOwner: Sendable {
    let response: PendingURLResponse
    private let transport: URLSessionTransport

    init(_ response: PendingURLResponse, of transport: URLSessionTransport) {
        self.response = response
        self.transport = transport
    }

    deinit {
        response.abandon()
    }
}

extension HTTPResponse {
    /// What the origin sent, as far as `URLSession` says: it joins the lines of a field, and undoes content codings.
    ///
    /// - Parameter tags: The entity tags that the request named, `If-None-Match`.
    init(_ response: HTTPURLResponse, tags: String? = nil) {
        var fields = HTTPFields()
        for (key, value) in response.allHeaderFields {
            guard let key = key as? String, let name = HTTPField.Name(key), let value = value as? String else {
                continue
            }
            let values = name == .setCookie ? SetCookieList.values(in: value) : [value]
            for value in values { fields.append(HTTPField(name: name, value: value)) }
        }
        // The status of a response that isn't HTTP is out of range.
        let code = (100...999).contains(response.statusCode) ? response.statusCode : 502
        // What was stored under the weak tag of undone coding is confirmed by the strong one.
        if code == 304, let tag = fields[.eTag], tags?.contains("W/\(tag)") == true { fields[.eTag] = "W/\(tag)" }
        self.init(status: Status(code: code), headerFields: fields.withoutContentCoding)
    }
}

extension HTTPFields {
    /// The fields of content whose coding has been undone: its length is another, and its bytes are others than those
    /// that a strong entity tag names (RFC 9110 §8.8.3.3).
    var withoutContentCoding: HTTPFields {
        guard let coding = self[.contentEncoding]?.lowercased(), coding != "identity" else { return self }
        var fields = self
        fields[.contentEncoding] = nil
        fields[.contentLength] = nil
        // Parts of the coded content can't be had.
        fields[.acceptRanges] = nil
        if let tag = fields[.eTag], !tag.hasPrefix("W/") { fields[.eTag] = "W/\(tag)" }
        return fields
    }
}

/// Values of `Set-Cookie` that were joined with commas, which RFC 9110 §5.3 advises against.
enum SetCookieList {
    /// The values one by one. A comma separates two where a name with an equals sign follows; in a date it doesn't.
    static func values(in joined: String) -> [String] {
        var (values, start) = ([String](), joined.startIndex)
        var rest = joined[...]
        while let comma = rest.firstIndex(of: ",") {
            rest = joined[joined.index(after: comma)...]
            guard beginsCookie(rest) else { continue }
            values.append(joined[start..<comma].trimmed)
            start = rest.startIndex
        }
        values.append(joined[start...].trimmed)
        return values.filter { !$0.isEmpty }
    }

    private static func beginsCookie(_ text: Substring) -> Bool {
        let name = text.drop { $0 == " " }.prefix { $0 != "=" && $0 != ";" && $0 != "," && $0 != " " }
        return !name.isEmpty && name.endIndex < text.endIndex && text[name.endIndex] == "="
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
