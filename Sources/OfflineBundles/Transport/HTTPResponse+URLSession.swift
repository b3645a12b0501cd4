import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPResponse {
    /// What the origin sent, as far as `URLSession` says: it joins the lines of a field, and undoes content codings.
    ///
    /// - Parameter tags: The entity tags that the request named, `If-None-Match`.
    init(_ response: HTTPURLResponse, tags: String? = nil) {
        var fields = HTTPFields()
        for (key, value) in response.allHeaderFields {
            guard let key = key as? String, let name = HTTPField.Name(key), let value = value as? String else {
                continue
            }
            let values = name == .setCookie ? SetCookieList.values(in: value) : [value]
            for value in values { fields.append(HTTPField(name: name, value: value)) }
        }
        // The status of a response that isn't HTTP is out of range.
        let code = (100...999).contains(response.statusCode) ? response.statusCode : 502
        // What was stored under the weak tag of undone coding is confirmed by the strong one.
        if code == 304, let tag = fields[.eTag], tags?.contains("W/\(tag)") == true { fields[.eTag] = "W/\(tag)" }
        self.init(status: Status(code: code), headerFields: fields.withoutContentCoding)
    }
}

extension HTTPFields {
    /// The fields of content whose coding has been undone: its length is another, and its bytes are others than those
    /// that a strong entity tag names (RFC 9110 §8.8.3.3).
    var withoutContentCoding: HTTPFields {
        guard let coding = self[.contentEncoding]?.lowercased(), coding != "identity" else { return self }
        var fields = self
        fields[.contentEncoding] = nil
        fields[.contentLength] = nil
        // Parts of the coded content can't be had.
        fields[.acceptRanges] = nil
        if let tag = fields[.eTag], !tag.hasPrefix("W/") { fields[.eTag] = "W/\(tag)" }
        return fields
    }
}
