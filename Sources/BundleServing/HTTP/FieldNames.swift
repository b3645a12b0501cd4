import HTTPTypes

extension HTTPField.Name {
    /// `Cache-Status` (RFC 9211).
    public static let cacheStatus = HTTPField.Name("Cache-Status")!
    /// `Sec-Fetch-Dest` (W3C Fetch Metadata Request Headers §2.1).
    public static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    /// `Sec-Fetch-Mode` (W3C Fetch Metadata Request Headers §2.2).
    public static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
}
