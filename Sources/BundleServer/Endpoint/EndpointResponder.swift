import BundleNetwork
import BundleServing
import BundleStore
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Answers one request after the other from the layers, and writes only as fast as the client takes it.
struct EndpointResponder: Sendable {
    let layers: LayeredResponder
    let hosts: HostPolicy
    let fields: AddedFields
    let health: EndpointHealth
    /// Nil when nobody wants to know.
    let observer: RequestObserver?
    /// Whether requests come over TLS.
    let isSecure: Bool
    let logger: Logger
    let now: @Sendable () -> Date

    /// - Parameter version: That of HTTP, such as `HTTP/1.1`.
    /// - Throws: The client's or the origin's failure. The connection is of no use then and must be closed.
    func respond(
        to request: HTTPRequest,
        of version: String,
        _ writer: consuming ResponseWriter,
        on channel: any Channel
    ) async throws {
        var record = AccessRecord(request, from: LogText(channel.remoteAddress?.ipAddress), at: now())
        record.version = .string(version)
        let start = ContinuousClock.now
        var response = await response(to: request, at: channel.localAddress?.port)
        var body = BodyChunks(response.body)
        // Copied before the head is sent, since only copying shows whether it can be read.
        var first = body.next()
        if body.hasFaulted {
            response = .complete(lost(request), response.source)
            body = BodyChunks(response.body)
            first = body.next()
        }
        log(request, response.head.status)
        let head = dated(response.head)
        (record.status, record.source) = (head.status.code, response.source)
        defer {
            record.duration = start.duration(to: .now)
            observer?.record(record)
        }
        do {
            switch response {
            case .complete: try await write(head, first, body, writer, on: channel, &record.byteCount)
            case .streaming(_, let body, _): try await pass(head, body, writer, on: channel, &record.byteCount)
            }
        } catch let error as BundleError {
            log(request, cutShortBy: error)
            channel.reset()
            throw error
        }
    }

    private func lost(_ request: HTTPRequest) -> BundleServing.Response {
        var response = LayeredResponder.contentLost(request)
        response.head = fields.decorated(response.head, for: request, isSecure: isSecure)
        return response
    }

    /// Answers a request, at once if that needs no waiting. The response has all its fields but `Date`.
    ///
    /// - Parameter port: The port on which it came in.
    func begin(_ request: HTTPRequest, at port: Int?) -> LayeredResponder.Beginning {
        switch beginAdmitted(request, at: port) {
        case .answered(var response, let source):
            response.head = fields.decorated(response.head, for: request, isSecure: isSecure)
            return .answered(response, source)
        case .waiting(let rest):
            return .waiting { [fields, isSecure] in
                var response = await rest()
                response.head = fields.decorated(response.head, for: request, isSecure: isSecure)
                return response
            }
        }
    }

    private func beginAdmitted(_ request: HTTPRequest, at port: Int?) -> LayeredResponder.Beginning {
        guard let admitted = hosts.admitted(request, at: port) else {
            return .answered(refusal(of: request), ResponseSource(.server))
        }
        let beginning = layers.begin(admitted)
        // A bundle's own file comes first; the network isn't asked for what this server knows best.
        if case .answered(_, let source) = beginning, source.layer != .miss { return beginning }
        // A bundle's own host stays the bundle's after its removal: what browsers keep of it is cleared there.
        if HostPolicy.isName(admitted) { return beginning }
        return health.response(to: admitted).map { .answered($0, ResponseSource(.server)) } ?? beginning
    }

    private func refusal(of request: HTTPRequest) -> BundleServing.Response {
        // The host may have been mapped to a bundle that has left a worker in browsers.
        if NavigationRequest.isForServiceWorker(request) { return LayeredResponder.retiringWorker(request) }
        // Probes come by address or under any name, and what they are told is no secret.
        return health.response(to: request) ?? HostPolicy.refusal(of: request)
    }

    private func response(to request: HTTPRequest, at port: Int?) async -> LayeredResponder.Answer {
        switch begin(request, at: port) {
        case .answered(let response, let source): .complete(response, source)
        case .waiting(let rest): await rest()
        }
    }

    func log(_ request: HTTPRequest, _ status: HTTPResponse.Status) {
        logger.debug("\(request.method.rawValue) \(Printable.text(request.path ?? "")) \(status.code)")
    }

    func log(_ request: HTTPRequest, cutShortBy error: BundleError) {
        logger.notice("\(Printable.text(request.path ?? "")) was cut short: \(error)")
    }

    /// Answers what isn't a request.
    func refuse(
        with response: BundleServing.Response,
        _ writer: consuming ResponseWriter,
        on channel: any Channel
    ) async throws {
        var record = AccessRecord(nil, from: LogText(channel.remoteAddress?.ipAddress), at: now())
        record.status = response.head.status.code
        defer { observer?.record(record) }
        logger.debug("no request that can be answered \(response.head.status.code)")
        let head = fields.decorated(dated(response.head), for: nil, isSecure: isSecure)
        var body = BodyChunks(response.body)
        let first = body.next()
        try await write(head, first, body, writer, on: channel, &record.byteCount)
    }

    /// - Parameters:
    ///   - first: The beginning of the body.
    ///   - rest: What comes after it.
    private func write(
        _ head: HTTPResponse,
        _ first: ByteBuffer?,
        _ rest: BodyChunks,
        _ writer: consuming ResponseWriter,
        on channel: any Channel,
        _ byteCount: inout Int
    ) async throws {
        guard rest.remainingByteCount > 0 else {
            try await writer.write(response: head, body: first.map(ResponseBody.init) ?? ResponseBody())
            byteCount = first?.readableBytes ?? 0
            return
        }
        var (rest, next) = (rest, first)
        let output = try await writer.writeHead(head)
        while let chunk = next {
            try await Self.write(chunk, to: output, on: channel)
            byteCount += chunk.readableBytes
            next = rest.next()
            guard !rest.hasFaulted else {
                throw BundleError(.storeDamaged, "its content is damaged", .repair(.content))
            }
        }
        try await output.finish(nil)
    }

    private func pass(
        _ head: HTTPResponse,
        _ body: OriginBody,
        _ writer: consuming ResponseWriter,
        on channel: any Channel,
        _ byteCount: inout Int
    ) async throws {
        let output = try await writer.writeHead(head)
        for try await chunk in body {
            try await Self.write(ByteBuffer(bytes: chunk), to: output, on: channel)
            byteCount += chunk.count
        }
        try await output.finish(nil)
    }

    /// Waits until the event loop has seen the chunk. Only it knows that the socket is full; without its word
    /// NIOAsyncWriter would take chunk after chunk for as long as the loop is busy with others.
    private static func write(
        _ chunk: ByteBuffer,
        to output: some ResponseBodyWriter,
        on channel: any Channel
    ) async throws {
        var output = output
        try await output.write(chunk)
        try await channel.eventLoop.submit {}.get()
    }

    /// An origin's own `Date` stays: what it says about the age of the response is still true (RFC 9110 §6.6.1).
    private func dated(_ head: HTTPResponse) -> HTTPResponse {
        var head = head
        if head.headerFields[.date] == nil { head.headerFields[.date] = HTTPDate(now())?.fieldValue }
        return head
    }
}
