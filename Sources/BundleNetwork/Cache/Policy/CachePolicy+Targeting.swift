import HTTPTypes

extension CachePolicy {
    /// The directives of a response that this cache obeys: those of the first of ``targetedFields`` that is valid and
    /// not empty, otherwise those of Cache-Control (RFC 9213 §2.2).
    package func directives(of responseFields: HTTPFields) -> CacheControl {
        for name in targetedFields {
            if let directives = CacheControl(targetedField: name, of: responseFields) { return directives }
        }
        return CacheControl(responseFields)
    }

    /// Whether responses are read as by a shared cache: `private`, `s-maxage`, `proxy-revalidate`, and what RFC 9111 §3.5
    /// says of Authorization. A cache with a target list does so however few users it has: it counts itself among caches
    /// that stand in front of many (RFC 9213 §1), so that `private` in a targeted field can only mean that they mustn't
    /// keep the response.
    var obeysSharedRules: Bool { isShared || !targetedFields.isEmpty }
}
