/// The address can't be listened on, most often because another program does so.
struct ListenFailure: Error, CustomStringConvertible {
    let address: ListenAddress
    let cause: any Error

    var description: String { "can't listen on \(address): \(cause); choose another address with --listen" }
}
