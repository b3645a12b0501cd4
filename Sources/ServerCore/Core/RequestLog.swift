/// Keeps a record of each request.
package protocol RequestLog: Sendable {
    /// Takes a record, whose bytes may be invalid after the call. Returns immediately, from any thread.
    func append(_ record: AccessRecord)
}
