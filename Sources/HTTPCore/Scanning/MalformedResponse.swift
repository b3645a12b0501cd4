/// Why bytes from a server aren't accepted as a response. A value type; safe to share between threads.
public enum MalformedResponse: Error, Sendable, CaseIterable {
    /// Bytes that aren't an HTTP/1 message (RFC 9112 §2.2).
    case syntax
    /// A status outside of 100 to 599 (RFC 9110 §15), or a switch of protocols (§15.2.2) that wasn't asked for.
    case status
    /// A line, a head or a trailer section that is too long, or has too many fields.
    case tooLong
    /// A length that is stated twice, or in no valid way (RFC 9112 §6.3).
    case framing
    /// A transfer coding that isn't supported (RFC 9112 §6.1), or content that isn't in its coding.
    case transferCoding
    /// Too many interim responses (RFC 9110 §15.2), or one with content.
    case interim
    /// Malformed chunks, or chunk extensions that are too long (RFC 9112 §7.1).
    case chunk
    /// Bytes that aren't part of a response to any request (RFC 9112 §9.2).
    case unsolicited

    /// What is wrong, for an error message.
    public var explanation: String {
        switch self {
        case .syntax: "what came isn't HTTP"
        case .status: "the status of its response isn't one of 100 to 599, or switches protocols"
        case .tooLong: "the head of its response is too long"
        case .framing: "its response doesn't state its length in exactly one way"
        case .transferCoding: "the transfer coding of its response isn't supported, or damaged"
        case .interim: "it sent too many interim responses, or one with content"
        case .chunk: "the chunks of its response are malformed"
        case .unsolicited: "it sent more than was asked for"
        }
    }
}
