/// Listening on the address failed, usually because another program uses it.
struct ListenFailure: Error, CustomStringConvertible {
    let address: ListenAddress
    let cause: any Error

    var description: String { "can't listen on \(address): \(cause); choose another address with --listen" }
}
