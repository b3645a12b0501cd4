import BundleNetwork
import BundleServing
import NIOHTTP1

/// What the client has sent isn't answered as a request, but with an explanation, which is the last response.
struct RefusedRequest: Error {
    let response: Response

    init(response: Response) {
        self.response = response
    }

    /// - Parameter head: The request, which NIO could read.
    init(_ problem: MalformedRequest, of head: HTTPRequestHead) {
        response = head.method == .HEAD ? problem.response.withoutBody : problem.response
    }

    /// Sorts an error of the channel; nil when it isn't about what the client sent.
    init?(_ error: any Error) {
        switch error {
        case let error as RefusedRequest: self = error
        // NIO's parser knows a list of methods, RFC 9110 §9.1 any token.
        case HTTPParserError.invalidMethod: self.init(response: LayeredResponder.methodNotAllowed)
        default:
            guard let problem = MalformedRequest(error) else { return nil }
            self.init(response: problem.response)
        }
    }
}
