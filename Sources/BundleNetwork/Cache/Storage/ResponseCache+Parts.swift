import BundleServing
import BundleStore
import Foundation
import HTTPTypes

extension ResponseCache {
    /// Stores a part of a response, and adds it to the stored parts of the same representation, by their strong
    /// validators (RFC 9111 §3.4). Reads the catalog on the calling thread when those aren't in memory.
    ///
    /// - Parameters:
    ///   - range: Where `body` belongs in the representation.
    ///   - completeLength: The length of the representation; nil when the origin doesn't say.
    /// - Returns: The response with all its parts; nil when it isn't kept.
    func keepPart(
        _ exchange: OriginExchange,
        key: String,
        range: Range<Int64>,
        completeLength: Int64?,
        body: CachedBodyWriter,
        under release: Release
    ) -> CachedVariant? {
        guard let url = URL(string: exchange.url), isActive(release), let body = try? body.finish(),
            range.lowerBound >= 0, Int64(body.content.count) == range.count,
            completeLength.map({ $0 >= range.upperBound }) ?? true
        else { return nil }
        let part = PartialResponse(exchange.withoutContentRange, range.lowerBound, completeLength, body)
        let response = stored(part.exchange, url: url, bodyLength: Int(clamping: completeLength ?? range.upperBound))
        if let variant = lookUpWaiting(exchange.request, key: key, under: release).variant,
            !variant.validity.isRevoked
        {
            if variant.canTake(part) { return variant.isComplete ? variant : add(part, to: variant, response) }
            // It may be of the same content, which would be lost.
            if variant.isComplete, response.rangeCondition == nil { return nil }
        }
        let none = CachedPartList([], of: completeLength)
        let parts = CachedPartList([none.part(at: part.offset, body)], of: completeLength)
        return insert(response, parts, body, exchange.request, key: key, under: release)
    }

    private func add(_ part: PartialResponse, to variant: CachedVariant, _ response: StoredResponse) -> CachedVariant? {
        guard let selection = CachedSelection(of: response) else { return nil }
        let new = variant.stored.part(at: part.offset, part.body)
        let kept = variant.stored.indices(besides: new)
        let list = CachedPartList(
            kept.map { variant.stored.parts[$0] } + [new],
            of: part.completeLength ?? variant.completeLength
        )
        let change = CachedPartChange(list, adding: [(new, part.body)])
        let contents = kept.map { variant.contents[$0] } + [part.body.content]
        let extended = variant.changed(response, list, contents, selection)
        memory.change(variant, to: extended) {
            store.update(variant.row, metadata: response.encoded, selection: selection, parts: change)
        }
        return extended
    }
}

/// A part of a representation that has been fetched.
private struct PartialResponse {
    let exchange: OriginExchange
    let offset: Int64
    let completeLength: Int64?
    let body: CachedBody

    init(_ exchange: OriginExchange, _ offset: Int64, _ completeLength: Int64?, _ body: CachedBody) {
        self.exchange = exchange
        self.offset = offset
        self.completeLength = completeLength
        self.body = body
    }
}

extension OriginExchange {
    /// The fields of a 206 that are about its part alone aren't kept: parts are combined (RFC 9110 §15.3.7.3).
    fileprivate var withoutContentRange: OriginExchange {
        var response = response
        response.headerFields[.contentRange] = nil
        response.headerFields[.contentLength] = nil
        return responding(to: request, with: response)
    }
}

extension CachedVariant {
    /// Whether a part is of the same representation: the strong validators are the same, and the lengths, if known.
    fileprivate func canTake(_ part: PartialResponse) -> Bool {
        let lengths = [completeLength, part.completeLength].compactMap(\.self)
        return response.isCombinable(with: part.exchange.response) && Set(lengths).count <= 1
    }
}

extension CachedPartList {
    /// The parts that stay when one is added: not those that it covers, nor the smallest when there are too many.
    fileprivate func indices(besides new: CachedPart) -> [Int] {
        let end = new.offset + new.byteCount
        let kept = parts.indices.filter { index in
            parts[index].offset < new.offset || parts[index].offset + parts[index].byteCount > end
        }
        guard kept.count >= CachedPart.maximumCount,
            let smallest = kept.min(by: { parts[$0].byteCount < parts[$1].byteCount })
        else { return kept }
        return kept.filter { $0 != smallest }
    }
}
