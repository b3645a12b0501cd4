// Requests and responses; see Foundation.swift beside it.

public import Foundation

/// <https://developer.apple.com/documentation/foundation/urlrequest>, iOS 8.
public struct URLRequest: Hashable, Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlrequest/cachepolicy-swift.typealias>
    public typealias CachePolicy = NSURLRequest.CachePolicy

    /// <https://developer.apple.com/documentation/foundation/urlrequest/init(url:cachepolicy:timeoutinterval:)>
    public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60) {
        fatalError("not run")
    }

    /// <https://developer.apple.com/documentation/foundation/urlrequest/url>
    public var url: URL?
    /// <https://developer.apple.com/documentation/foundation/urlrequest/maindocumenturl>
    public var mainDocumentURL: URL?
    /// <https://developer.apple.com/documentation/foundation/urlrequest/cachepolicy-swift.property>
    public var cachePolicy: CachePolicy
    /// <https://developer.apple.com/documentation/foundation/urlrequest/timeoutinterval>
    public var timeoutInterval: TimeInterval
    /// <https://developer.apple.com/documentation/foundation/urlrequest/httpmethod>
    public var httpMethod: String?
    /// <https://developer.apple.com/documentation/foundation/urlrequest/allhttpheaderfields>
    public var allHTTPHeaderFields: [String: String]?
    /// <https://developer.apple.com/documentation/foundation/urlrequest/httpbody>
    public var httpBody: Data?
    /// <https://developer.apple.com/documentation/foundation/urlrequest/httpbodystream>
    public var httpBodyStream: InputStream? {
        get { fatalError("not run") }
        set {}
    }
    /// <https://developer.apple.com/documentation/foundation/urlrequest/allowscellularaccess>
    public var allowsCellularAccess: Bool
    /// <https://developer.apple.com/documentation/foundation/urlrequest/allowsexpensivenetworkaccess>, iOS 13.
    public var allowsExpensiveNetworkAccess: Bool
    /// <https://developer.apple.com/documentation/foundation/urlrequest/allowsconstrainednetworkaccess>, iOS 13.
    public var allowsConstrainedNetworkAccess: Bool
    /// <https://developer.apple.com/documentation/foundation/urlrequest/httpshouldhandlecookies>
    public var httpShouldHandleCookies: Bool

    /// <https://developer.apple.com/documentation/foundation/urlrequest/value(forhttpheaderfield:)>
    public func value(forHTTPHeaderField field: String) -> String? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlrequest/setvalue(_:forhttpheaderfield:)>
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
    /// <https://developer.apple.com/documentation/foundation/urlrequest/addvalue(_:forhttpheaderfield:)>
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
}

extension URLRequest: _ObjectiveCBridgeable {
    /// Called by `as`.
    public func _bridgeToObjectiveC() -> NSURLRequest { fatalError("not run") }
    /// Called by `as`.
    public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) {}
    /// Called by `as`.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) -> Bool {
        false
    }
    /// Called by `as`.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> URLRequest {
        fatalError("not run")
    }
}

/// <https://developer.apple.com/documentation/foundation/nsurlrequest>, iOS 2. Not `Sendable`: it has a mutable subclass.
@objc open class NSURLRequest: ObjectiveCObject {
    /// <https://developer.apple.com/documentation/foundation/nsurlrequest/cachepolicy-swift.enum>
    @objc public enum CachePolicy: UInt, Sendable {
        case useProtocolCachePolicy = 0
        case reloadIgnoringLocalCacheData = 1
        case reloadIgnoringLocalAndRemoteCacheData = 4
        case returnCacheDataElseLoad = 2
        case returnCacheDataDontLoad = 3
        case reloadRevalidatingCacheData = 5

        /// The older name of `reloadIgnoringLocalCacheData`.
        public static var reloadIgnoringCacheData: CachePolicy { .reloadIgnoringLocalCacheData }
    }

    /// <https://developer.apple.com/documentation/foundation/nsmutablecopying/mutablecopy(with:)>, of `NSObject` on Apple's systems.
    public func mutableCopy() -> Any { fatalError("not run") }
}

/// <https://developer.apple.com/documentation/foundation/nsmutableurlrequest>, iOS 2.
@objc open class NSMutableURLRequest: NSURLRequest {}

/// <https://developer.apple.com/documentation/foundation/urlresponse>, iOS 2.
@objc open class URLResponse: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlresponse/init(url:mimetype:expectedcontentlength:textencodingname:)>
    public init(url: URL, mimeType MIMEType: String?, expectedContentLength length: Int, textEncodingName name: String?)
    {}
    /// <https://developer.apple.com/documentation/foundation/urlresponse/url>
    open var url: URL? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlresponse/mimetype>
    open var mimeType: String? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlresponse/expectedcontentlength>
    open var expectedContentLength: Int64 { fatalError("not run") }
}

/// <https://developer.apple.com/documentation/foundation/httpurlresponse>, iOS 2.
@objc open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/httpurlresponse/init(url:statuscode:httpversion:headerfields:)>
    public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?) {
        fatalError("not run")
    }
    /// <https://developer.apple.com/documentation/foundation/httpurlresponse/statuscode>
    open var statusCode: Int { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/httpurlresponse/allheaderfields>
    open var allHeaderFields: [AnyHashable: Any] { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/httpurlresponse/value(forhttpheaderfield:)>, iOS 13.
    open func value(forHTTPHeaderField field: String) -> String? { fatalError("not run") }
}

/// <https://developer.apple.com/documentation/foundation/cachedurlresponse>, iOS 2.
@objc open class CachedURLResponse: ObjectiveCObject, @unchecked Sendable {}
