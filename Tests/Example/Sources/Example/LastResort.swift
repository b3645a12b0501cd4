// The code of the article “From Swift”: the lines between the two rules stand there.

import Foundation
import OfflineBundles

/// The configuration of an app that loads everything through its client, and decides some of it itself.
func configurationWithLastResort() -> BundleClient.Configuration {
    var configuration = BundleClient.Configuration()
    configuration.coversAllOrigins = true
    configuration.lastResort = lastResort(for:)
    return configuration
}

/// A transparent pixel.
private let pixel = Data(base64Encoded: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7") ?? Data()

// ----
/// Called on any thread; it must not wait.
func lastResort(for request: HTTPRequest) -> LastResort? {
    switch request.authority {
    case "stats.example.com":  // a response of the app's own, which needs no network
        return .respond(BundleClient.Response(headerFields: [.contentType: "image/gif"], data: pixel))
    case "api.example.com":  // another request in its place
        var request = request
        request.headerFields[.userAgent] = "Shop/1.0"
        return .send(request)
    default: return nil
    }
}
// ----
