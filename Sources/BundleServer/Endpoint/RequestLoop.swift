import BundleServing
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// Answers a connection's requests one after the other, and what isn't a request with an explanation.
///
/// Hummingbird's `handleHTTP` doesn't do: it answers what can't be parsed with a bare 400.
struct RequestLoop: Sendable {
    typealias Connection = NIOAsyncChannel<ReceivedPart, HTTPResponsePart>

    /// The client sent the parts of a request in an order that the parser never gives.
    struct UnexpectedPart: Error {}

    let responder: EndpointResponder
    let logger: Logger

    /// Returns when the connection is closed.
    func run(_ connection: Connection) async {
        do {
            try await withTaskCancellationHandler {
                try await connection.executeThenClose { inbound, outbound in
                    try await response(inbound, outbound, on: connection.channel)
                    outbound.finish()
                    try await connection.channel.closeFuture.get()
                }
            } onCancel: {
                connection.channel.close(mode: .input, promise: nil)
            }
        } catch {
            // The client has gone away, or the response couldn't be finished; either way nobody is there to be told.
            logger.trace("the connection ended early: \(error)")
        }
    }

    private func response(
        _ inbound: NIOAsyncChannelInboundStream<ReceivedPart>,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>,
        on channel: any Channel
    ) async throws {
        var parts = inbound.makeAsyncIterator()
        do {
            while let part = try await parts.next() {
                guard case .head(let request, let exchange) = part else { throw UnexpectedPart() }
                let writer = ResponseWriter(outbound: outbound)
                try await responder.respond(to: request, of: exchange.version, writer, on: channel)
                if exchange.closesConnection { return }
                try await Self.skipContent(&parts)
            }
        } catch {
            guard let refusal = RefusedRequest(error) else { throw error }
            try await responder.refuse(with: refusal.response, ResponseWriter(outbound: outbound), on: channel)
        }
    }

    /// Nothing here has a use for a request's content.
    private static func skipContent(
        _ parts: inout NIOAsyncChannelInboundStream<ReceivedPart>.AsyncIterator
    ) async throws {
        while let part = try await parts.next() {
            if case .end = part { return }
        }
    }
}
