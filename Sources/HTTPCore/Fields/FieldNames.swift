import HTTPTypes

extension HTTPField.Name {
    /// `Access-Control-Request-Private-Network` (WICG Private Network Access §3.1.2).
    package static let accessControlRequestPrivateNetwork = HTTPField.Name("Access-Control-Request-Private-Network")!
    /// `Cache-Status` (RFC 9211).
    package static let cacheStatus = HTTPField.Name("Cache-Status")!
    /// `Clear-Site-Data` (W3C Clear Site Data §3.1).
    package static let clearSiteData = HTTPField.Name("Clear-Site-Data")!
    /// `Pragma` (RFC 9111 §5.4).
    package static let pragma = HTTPField.Name("Pragma")!
    /// `Purpose`: as `Sec-Purpose`, by browsers that are older.
    package static let purpose = HTTPField.Name("Purpose")!
    /// `Service-Worker` (W3C Service Workers, “Service-Worker”): browsers send it when they fetch a worker's script; pages can't.
    package static let serviceWorker = HTTPField.Name("Service-Worker")!
    /// `Sec-Fetch-Dest` (W3C Fetch Metadata Request Headers §2.1).
    package static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    /// `Sec-Fetch-Mode` (W3C Fetch Metadata Request Headers §2.2).
    package static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    /// `Sec-Fetch-Site` (W3C Fetch Metadata Request Headers §2.3).
    package static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// `Sec-Purpose` (WHATWG Fetch §3.6).
    static let secPurpose = HTTPField.Name("Sec-Purpose")!
    /// `Server-Timing` (W3C Server Timing §4): scripts of the page can read it.
    package static let serverTiming = HTTPField.Name("Server-Timing")!
}
