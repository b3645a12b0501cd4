import HTTPCore


/// A request that is counted once its response has ended. For use on one event loop.
struct PendingCount {
    private var tally: ResponseTally?
    private var saving: CodingSaving?
    private var isOver = false

    /// Notes the response that is sent.
    ///
    /// - Parameter tally: That of its kind; nil when responses aren't counted.
    mutating func note(_ tally: ResponseTally?, _ saving: CodingSaving?) {
        (self.tally, self.saving) = (tally, saving)
    }

    /// Counts the response, which has ended; once. Without a response the request was abandoned.
    ///
    /// - Parameter byteCount: How many bytes of the body were sent.
    mutating func finish(byteCount: Int, in tallies: TallySheet?) {
        guard let tallies, !isOver else { return }
        isOver = true
        let tally = tally ?? tallies.tally(ResponseSource(.server), status: PendingRecord.abandoned)
        tally.add(byteCount: byteCount, saving)
    }
}
