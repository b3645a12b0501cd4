import HTTPTypes

extension HTTPField.Name {
    /// `Access-Control-Request-Private-Network` (WICG Private Network Access §3.1.2).
    public static let accessControlRequestPrivateNetwork = HTTPField.Name("Access-Control-Request-Private-Network")!
    /// `Cache-Status` (RFC 9211).
    public static let cacheStatus = HTTPField.Name("Cache-Status")!
    /// `Clear-Site-Data` (W3C Clear Site Data §3.1).
    public static let clearSiteData = HTTPField.Name("Clear-Site-Data")!
    /// `Service-Worker` (W3C Service Workers, “Service-Worker”): browsers send it when they fetch a worker's script; pages can't.
    public static let serviceWorker = HTTPField.Name("Service-Worker")!
    /// `Sec-Fetch-Dest` (W3C Fetch Metadata Request Headers §2.1).
    public static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    /// `Sec-Fetch-Mode` (W3C Fetch Metadata Request Headers §2.2).
    public static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    /// `Sec-Fetch-Site` (W3C Fetch Metadata Request Headers §2.3).
    public static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
