/// Keeps a record of each request.
package protocol RequestLog: Sendable {
    /// Takes a record, which may refer to bytes that are gone after the call. Returns immediately, from any thread.
    func append(_ record: AccessRecord)
}
