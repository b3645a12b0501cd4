import BundleServing
import BundleStore
import CBundle
import HTTPTypes

/// The program's own network: requests become exchanges, to which the program responds. Thread-safe.
struct ProgramTransport: OriginTransport {
    /// How many exchanges the program is given at the same time.
    static let maximumCount = 64

    private let program: ProgramCallbacks
    private let callbacks: ClientCallbacks
    private let workers = WorkerPool(maximumCount: maximumCount)

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for a structure that isn't one.
    init(_ transport: UnsafePointer<ob_transport>, _ callbacks: ClientCallbacks) throws(BundleError) {
        program = ProgramCallbacks(try CArgument.structure(transport, "ob_transport"))
        self.callbacks = callbacks
    }

    func send(_ call: OriginCall) async throws -> OriginResponse {
        try Task.checkCancellation()
        guard call.connectTo == nil else {
            throw BundleError(
                .invalidArgument,
                "a transport of the program's own connects to the URL's host; leave the other host out of the network rule"
            )
        }
        let exchange = Exchange(call, program, try callbacks.begin())
        workers.add { exchange.send() }
        let reader = ExchangeReader(exchange)
        let head = try await reader.head()
        return OriginResponse(head: head, body: BodyStream(ExchangeBody(reader: reader)))
    }
}

/// The functions of an `ob_transport`.
///
/// Unchecked: functions of C have no state; the header says that they are called on other threads.
struct ProgramCallbacks: @unchecked Sendable {
    private let transport: ob_transport

    init(_ transport: ob_transport) {
        self.transport = transport
    }

    /// Whether the program wants to know that nobody waits for a response any more.
    var canCancel: Bool { transport.cancel != nil }

    /// Gives the program an exchange, which it frees.
    func send(_ exchange: OpaquePointer) { transport.send(transport.context, exchange) }

    /// Tells the program that nobody waits for the response any more.
    func cancel(_ exchange: ExchangeHandle) {
        let pointer = Handle.make(exchange)
        transport.cancel?(transport.context, pointer)
        Handle<ExchangeHandle>.release(pointer)
    }
}

/// The library's side of an exchange: when nobody reads any more, the program is told. Thread-safe.
final class ExchangeReader: Sendable {
    private let exchange: Exchange

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    deinit {
        exchange.abandon()
    }

    /// The head of the response, once it is there.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when there is no response; `CancellationError` when the
    ///   task is cancelled.
    func head() async throws -> HTTPResponse {
        try await abandoning { try await withCheckedThrowingContinuation { exchange.awaitHead($0) } }
    }

    /// The next bytes of the body; nil at the end.
    ///
    /// - Throws: As ``head()``.
    func next() async throws -> [UInt8]? {
        try await abandoning { try await withCheckedThrowingContinuation { exchange.awaitBytes($0) } }
    }

    private func abandoning<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            exchange.abandon()
        }
    }
}

/// The body of the program's response.
private struct ExchangeBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: ExchangeReader

        func next() async throws -> [UInt8]? { try await reader.next() }
    }

    let reader: ExchangeReader

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}
