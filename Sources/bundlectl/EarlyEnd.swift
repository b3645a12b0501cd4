/// Thrown by a verb that has said all there is to say and ends with a status of its own.
struct EarlyEnd: Error {
    let status: ExitStatus
}
