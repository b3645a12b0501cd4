import HTTPTypes

/// The cause of the error for a response that isn't what was asked for.
struct UnexpectedResponse: Error {
    /// Its status and fields.
    let head: HTTPResponse
}
