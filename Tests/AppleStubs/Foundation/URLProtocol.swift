// The classes of the loading system's protocols; see Foundation.swift beside it.

public import Foundation

/// <https://developer.apple.com/documentation/foundation/urlprotocolclient>, iOS 2.
@objc public protocol URLProtocolClient {
    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)
    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    )
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}

/// <https://developer.apple.com/documentation/foundation/urlprotocol>, iOS 2. Not `Sendable`.
@objc open class URLProtocol: ObjectiveCObject {
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/init(request:cachedresponse:client:)>
    public init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {}
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/client>
    open var client: (any URLProtocolClient)? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/request>
    open var request: URLRequest { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/task>, iOS 8.
    open var task: URLSessionTask? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/caninit(with:)-7gpsr>
    open class func canInit(with request: URLRequest) -> Bool { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/canonicalrequest(for:)>
    open class func canonicalRequest(for request: URLRequest) -> URLRequest { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/requestiscacheequivalent(_:to:)>
    open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/startloading()>
    open func startLoading() {}
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/stoploading()>
    open func stopLoading() {}
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/property(forkey:in:)>
    open class func property(forKey key: String, in request: URLRequest) -> Any? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/setproperty(_:forkey:in:)>
    open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {}
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/registerclass(_:)>
    open class func registerClass(_ protocolClass: AnyClass) -> Bool { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotocol/unregisterclass(_:)>
    open class func unregisterClass(_ protocolClass: AnyClass) {}
}
