import BundleModel
import HTTPCore
import HTTPTypes


/// The form of a ready response that one request gets: all of it, a part, or only a status such as 304. For use on one
/// event loop.
///
/// A class, so that passing one on counts one reference, and not those of its head, content and source.
final class ReadyForm {
    let head: ReadyHead
    /// 100 to 599.
    let status: Int
    /// What follows the head; nil for nothing.
    let body: ByteSlice?
    /// The part that a 206 sends; its `Content-Range` and `Content-Length` follow the head's fields.
    let part: ContentPart?
    let source: ResponseSource
    /// What the coding of the content saves when it is sent.
    let saving: CodingSaving?
    /// Counts the responses of its kind; nil until it is first sent.
    fileprivate var tally: ResponseTally?

    /// A response that isn't kept. Returns nil when its body has several parts or its head is too long for a ready
    /// response.
    convenience init?(_ response: Response, _ source: ResponseSource, as format: HeadFormat) {
        guard response.body.parts.count <= 1, ReadyResponse.isShort(response.head) else { return nil }
        self.init(
            head: ReadyHead(response.head, as: format),
            status: response.head.status.code,
            body: response.body.parts.first,
            source: source
        )
    }

    init(head: ReadyHead, status: Int, body: ByteSlice?, part: ContentPart? = nil, source: ResponseSource) {
        self.head = head
        self.status = status
        self.body = body
        self.part = part
        self.source = source
        saving = source.saving
    }

    /// The same for HEAD.
    var headAlone: ReadyForm {
        body == nil ? self : ReadyForm(head: head, status: status, body: nil, part: part, source: source)
    }

    /// The number of bytes that follow the head.
    var bodyByteCount: Int { body?.count ?? 0 }
}

extension TallySheet {
    /// The tally for a form, which keeps it: a form belongs to one event loop, as a sheet does.
    @inline(__always)
    func tally(of form: ReadyForm) -> ResponseTally {
        if let tally = form.tally { return tally }
        let tally = tally(form.source, status: form.status)
        form.tally = tally
        return tally
    }
}
