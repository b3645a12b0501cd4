import BundleServing
import NIOHTTP1

extension MalformedRequest {
    /// Sorts an error of the channel; nil when it isn't about what the client sent.
    init?(_ error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow: self = .tooLong
        case HTTPParserError.invalidURL: self = .target
        case is HTTPParserError: self = .syntax
        default: return nil
        }
    }
}
