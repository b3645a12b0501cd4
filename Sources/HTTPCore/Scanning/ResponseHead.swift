import HTTPTypes

/// The head of a final response as it was sent. A value type; safe to share between threads.
public struct ResponseHead: Sendable {
    /// The status and the fields.
    public let response: HTTPResponse
    /// In what coding the chunks are; nil for none.
    public let transferCoding: TransferCoding?
    /// Whether the connection can be used for another request after the response (RFC 9112 §9.3).
    public let keepsConnection: Bool
}
