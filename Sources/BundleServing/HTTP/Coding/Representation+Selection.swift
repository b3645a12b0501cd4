import BundleStore
import HTTPTypes

extension Representation {
    /// The representation selected for a request: this one, or one of its variants (RFC 9110 §12.1).
    ///
    /// 1. For a part of the content, this one: a client that combines parts, such as a player or a resumed download,
    ///    needs offsets that don't depend on an encoder.
    /// 2. The one that the client has already (`If-None-Match`), if it is acceptable: it isn't sent again in another
    ///    coding that has been made meanwhile.
    /// 3. The best that the client accepts, and this one when it accepts none (§12.5.3). A delta is only better than
    ///    the next coding when it is shorter.
    ///
    /// Conditions and ranges then apply to the selected representation (§13.2).
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

    /// The acceptable one whose entity tag the client names; nil when it names none.
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
