import BundleTransport
import HTTPCore
import HTTPTypes

/// Lends a transport, and shuts it down, whatever `body` did.
///
/// - Throws: What `body` throws.
package func withTransport<Result>(
    _ transport: NIOTransport,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (NIOTransport) async throws -> Result
) async throws -> Result {
    try await withCleanup {
        try await body(transport)
    } cleanUp: {
        await transport.shutdown()
    }
}

extension OriginTransport {
    /// The response with its whole content.
    ///
    /// - Throws: As `send(_:)`; `BundleError` with code `tooLarge` when the content is longer.
    func response(to call: OriginCall, atMost limit: Int) async throws -> (HTTPResponse, [UInt8]) {
        let response = try await send(call)
        let served = ServedResponse.streaming(response.head, response.body, ResponseSource(.network))
        return (response.head, try await served.bytes(atMost: limit, ofAnyStatus: true))
    }
}
