/// The content of a request can't be read: the trouble of the one who sends it, and not the origin's.
struct ContentFailure: Error {
    let cause: any Error
}
