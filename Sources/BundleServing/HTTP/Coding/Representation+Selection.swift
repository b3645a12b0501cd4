import BundleStore
import HTTPTypes

extension Representation {
    /// The representation that a request is to be answered from: this one, or one of its variants (RFC 9110 §12.1).
    ///
    /// 1. For a part of the content it is this one: a client that puts parts together, a player or a download that goes on,
    ///    needs offsets that don't depend on an encoder.
    /// 2. The one that the client has already (`If-None-Match`), if it is acceptable: it isn't sent once more in another
    ///    coding only because that has been made meanwhile.
    /// 3. The best that the client accepts, and this one when it accepts none (§12.5.3). A difference to another content is
    ///    only better than what comes next when it is shorter.
    ///
    /// Conditions and ranges are then judged by what was selected (§13.2).
    public func selected(for request: HTTPRequest) -> Representation {
        let fields = request.headerFields
        let asksForPart = request.method == .get && fields.contains(.range)
        guard status == .ok, !variants.isEmpty, !asksForPart else { return self }
        let accepted = AcceptEncoding(fields[.acceptEncoding])
        return held(fields[.ifNoneMatch], accepted) ?? best(accepted)
    }

    private func best(_ accepted: AcceptEncoding) -> Representation {
        let acceptable = accepted.compactMap(coded)
        guard let best = acceptable.first else { return self }
        let isDelta = best.fields[.contentEncoding] == ContentCoding.dictionaryZstandard.token
        guard isDelta, acceptable.count > 1, acceptable[1].content.count <= best.content.count else { return best }
        return acceptable[1]
    }

    /// The acceptable one whose tag the client names; nil when it names none.
    private func held(_ condition: String?, _ accepted: AcceptEncoding) -> Representation? {
        guard var condition else { return nil }
        return condition.withUTF8 { bytes in
            let condition = EntityTagCondition(UnsafeRawBufferPointer(bytes))
            return accepted.lazy.compactMap(coded).first { $0.entityTag.map(condition.listsWeakly) ?? false }
        }
    }

    private func coded(_ coding: ContentCoding) -> Representation? {
        guard coding != .identity else { return self }
        guard let variant = variants.first(where: { $0.coding == coding }) else { return nil }
        var fields = fields
        fields[.contentEncoding] = coding.token
        return Representation(
            mediaType: mediaType,
            content: variant.content,
            entityTag: variant.entityTag,
            lastModified: lastModified,
            fields: fields,
            selectingFields: selectingFields
        )
    }
}
