/// What a plain request is answered.
struct FastResponse {
    let prepared: ReadyResponse
    let form: ReadyResponse.Form
    /// Whether a page is told its version.
    let isMarked: Bool

    /// The length of the head in bytes, without the empty line at its end.
    var headByteCount: Int { prepared.headByteCount(form) + (isMarked ? prepared.markByteCount : 0) }

    /// Copies the head.
    ///
    /// - Parameters:
    ///   - date: An IMF-fixdate.
    ///   - target: Has room for ``headByteCount`` bytes.
    func copyHead(date: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        prepared.copyHead(form, date: date, to: target)
        if isMarked { prepared.copyMark(to: target + prepared.headByteCount(form)) }
    }
}
