import BundleServing
import BundleStore
import CBundle
import HTTPTypes
import Synchronization
import Testing

@testable import BundleCInterface

@Suite("Exchanges of a transport in C", .timeLimit(.minutes(1)))
struct ExchangeTests {
    /// A program that frees what it gets.
    private static let program = ProgramCallbacks(
        ob_transport(
            size: MemoryLayout<ob_transport>.size,
            context: nil,
            send: { _, exchange in ob_exchange_free(exchange) },
            cancel: nil
        )
    )

    private static func exchange(_ method: HTTPRequest.Method = .get) throws -> Exchange {
        let request = HTTPRequest(method: method, scheme: "https", authority: "m.example.com", path: "/a")
        return Exchange(OriginCall(request), program, try ClientCallbacks().begin())
    }

    private static func write(_ count: Int, to exchange: Exchange) -> Bool {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { exchange.write($0) }
    }

    @Test("a body arrives in order, and its writer waits until there is room")
    func body() async throws {
        let exchange = try Self.exchange()
        let reader = ExchangeReader(exchange)
        #expect(!Self.write(1, to: exchange))
        try exchange.respond(HTTPResponse(status: .ok))
        #expect(throws: BundleError.self) { try exchange.respond(HTTPResponse(status: .ok)) }
        #expect(try await reader.head().status == .ok)
        let writing = Task(executorPreference: BlockingExecutor()) {
            let isWanted = Self.write(3 * Exchange.capacity + 1, to: exchange)
            exchange.finish()
            return isWanted
        }
        var count = 0
        while let bytes = try await reader.next() {
            #expect(bytes.count <= Exchange.capacity)
            count += bytes.count
        }
        #expect(await writing.value)
        #expect(count == 3 * Exchange.capacity + 1)
        #expect(!Self.write(1, to: exchange))
    }

    @Test("a body that isn't as long as Content-Length says fails", arguments: [4, 6])
    func length(_ count: Int) async throws {
        let exchange = try Self.exchange()
        let reader = ExchangeReader(exchange)
        try exchange.respond(HTTPResponse(status: .ok, headerFields: [.contentLength: "5"]))
        #expect(Self.write(count, to: exchange) == (count < 5))
        exchange.finish()
        await #expect(throws: BundleError.self) {
            while try await reader.next() != nil {}
        }
    }

    @Test("a response to HEAD has no body, for any Content-Length")
    func head() async throws {
        let exchange = try Self.exchange(.head)
        let reader = ExchangeReader(exchange)
        try exchange.respond(HTTPResponse(status: .ok, headerFields: [.contentLength: "5"]))
        exchange.finish()
        #expect(try await reader.next() == nil)
        #expect(ExchangeBuffer.length(of: HTTPResponse(status: .noContent), to: exchange.request) == 0)
    }

    @Test("a request that the program frees, or finishes without a head, fails")
    func without() async throws {
        let (freed, finished) = (try Self.exchange(), try Self.exchange())
        let readers = [ExchangeReader(freed), ExchangeReader(finished)]
        freed.send()
        finished.finish()
        for reader in readers { await #expect(throws: BundleError.self) { try await reader.head() } }
    }

    @Test("nothing is taken once nobody reads")
    func abandoned() throws {
        let exchange = try Self.exchange()
        try exchange.respond(HTTPResponse(status: .ok))
        exchange.abandon()
        #expect(!Self.write(1, to: exchange))
        #expect(throws: CancellationError.self) { try exchange.respond(HTTPResponse(status: .ok)) }
    }

    @Test("a request that is to be sent to another host is refused")
    func otherHost() async throws {
        var structure = ob_transport(
            size: MemoryLayout<ob_transport>.size,
            context: nil,
            send: { _, exchange in ob_exchange_free(exchange) },
            cancel: nil
        )
        let transport = try ProgramTransport(&structure, ClientCallbacks())
        let request = HTTPRequest(method: .get, scheme: "https", authority: "m.example.com", path: "/a")
        var call = OriginCall(request)
        let direct = call
        call.connectTo = ConnectTarget(host: "other.example")
        let elsewhere = call
        await #expect(throws: BundleError.self) { try await transport.send(direct) }
        let error = await #expect(throws: BundleError.self) { try await transport.send(elsewhere) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(
        "heads that aren't final responses, or are too long, are refused",
        arguments: [0, 101, 199, 600, -1] as [Int32]
    )
    func heads(_ status: Int32) {
        #expect(throws: BundleError.self) {
            try ExchangeHead.response(status, UnsafeBufferPointer(start: nil, count: 0))
        }
        "X-A".withCString { name in
            "b".withCString { value in
                let fields = [ob_field](repeating: ob_field(name: name, value: value), count: 1_025)
                fields.withUnsafeBufferPointer { fields in
                    #expect(throws: BundleError.self) { try ExchangeHead.response(200, fields) }
                    let allowed = UnsafeBufferPointer(rebasing: fields[..<1_024])
                    #expect((try? ExchangeHead.response(200, allowed))?.headerFields.count == 1_024)
                }
            }
        }
    }
}
