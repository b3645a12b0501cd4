import HTTPCore


extension Tunnel {
    /// The connection of a response with status 101.
    init(_ owner: ResponseOwner, _ failure: TransportFailure) {
        let (response, connection) = (owner.response, owner.response.connection)
        self.init(
            incoming: BodyStream(ResponseBody(owner: owner, coding: nil, failure: failure)),
            send: { bytes in
                do {
                    try await withTaskCancellationHandler {
                        try await connection.write(bytes, of: response)
                    } onCancel: {
                        connection.loop.runNow { connection.cancel(response) }
                    }
                } catch {
                    throw Task.isCancelled ? CancellationError() : failure.error(from: error, during: .reading)
                }
            },
            end: { connection.loop.runNow { connection.endOutput(of: response) } }
        )
    }
}
