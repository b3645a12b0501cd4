/// Thrown by a verb that has finished and ends with an exit status of its own.
struct EarlyEnd: Error {
    let status: ExitStatus
}
