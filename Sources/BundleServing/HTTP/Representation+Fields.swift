import HTTPTypes

extension Representation {
    /// The fields that describe the representation, whole or in part; those that depend on the part sent are left out.
    var describingFields: HTTPFields {
        var result = fields
        for name in [HTTPField.Name.contentLength, .contentRange, .transferEncoding] { result[name] = nil }
        // A field with bytes that aren't UTF-8 stays as it is.
        if let mediaType, mediaType != result[.contentType] { result[.contentType] = mediaType }
        if let entityTag { result[fields: .eTag] = [entityTag.field(.eTag)] }
        if let date = validators.lastModified { result[.lastModified] = date.fieldValue }
        result[.xContentTypeOptions] = "nosniff"
        result.vary(by: selectingFields)
        return result
    }

    /// The fields of a 304: those that RFC 9110 §15.4.5 requires, `Age` (RFC 9111 §4) and `Cache-Status`, and those of
    /// CORS. `Last-Modified` is included only without an entity tag.
    var notModifiedFields: HTTPFields {
        let all = describingFields
        var names: [HTTPField.Name] = [
            .age, .cacheControl, .contentLocation, .date, .eTag, .expires, .vary, .cacheStatus, .xContentTypeOptions,
            .accessControlAllowOrigin, .accessControlAllowCredentials, .accessControlExposeHeaders,
        ]
        if !all.contains(.eTag) { names.append(.lastModified) }
        return all.keeping(names)
    }

    /// The fields about its origin that even a response without the representation has.
    var accountingFields: HTTPFields { fields.keeping([.cacheStatus]) }

    /// The fields of an error response that follow from the selected representation.
    var refusalFields: HTTPFields {
        var result = accountingFields
        result.vary(by: selectingFields)
        return result
    }
}

extension HTTPFields {
    /// Adds names to `Vary` that aren't in it yet; `*` stays as it is (RFC 9110 §12.5.5).
    package mutating func vary(by names: [HTTPField.Name]) {
        let listed = (self[.vary] ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace }.lowercased() }
        guard !listed.contains("*") else { return }
        let missing = names.filter { !listed.contains($0.canonicalName) }
        guard !missing.isEmpty else { return }
        self[.vary] = ([self[.vary]].compactMap(\.self) + missing.map(\.rawName)).joined(separator: ", ")
    }

    fileprivate func keeping(_ names: [HTTPField.Name]) -> HTTPFields {
        var kept = HTTPFields()
        for field in self where names.contains(field.name) { kept.append(field) }
        return kept
    }
}
