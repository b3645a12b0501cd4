// Cookies, credentials and caches; see Foundation.swift beside it.

public import Foundation

/// <https://developer.apple.com/documentation/foundation/urlcache>, iOS 2.
@objc open class URLCache: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlcache/storagepolicy>
    @objc public enum StoragePolicy: UInt, Sendable {
        case allowed = 0
        case allowedInMemoryOnly = 1
        case notAllowed = 2
    }
}

/// <https://developer.apple.com/documentation/foundation/httpcookie>, iOS 2.
@objc open class HTTPCookie: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/httpcookie/acceptpolicy>
    @objc public enum AcceptPolicy: UInt, Sendable {
        case always = 0
        case never = 1
        case onlyFromMainDocumentDomain = 2
    }

    /// <https://developer.apple.com/documentation/foundation/httpcookie/requestheaderfields(with:)>
    open class func requestHeaderFields(with cookies: [HTTPCookie]) -> [String: String] { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/httpcookie/cookies(withresponseheaderfields:for:)>
    open class func cookies(withResponseHeaderFields headerFields: [String: String], for URL: URL) -> [HTTPCookie] {
        fatalError("not run")
    }
}

/// <https://developer.apple.com/documentation/foundation/httpcookiestorage>, iOS 2.
@objc open class HTTPCookieStorage: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/httpcookiestorage/shared>
    open class var shared: HTTPCookieStorage { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/httpcookiestorage/cookies(for:)>
    open func cookies(for URL: URL) -> [HTTPCookie]? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/httpcookiestorage/setcookies(_:for:maindocumenturl:)>
    open func setCookies(_ cookies: [HTTPCookie], for URL: URL?, mainDocumentURL: URL?) {}
}

/// <https://developer.apple.com/documentation/foundation/urlcredential>, iOS 2.
@objc open class URLCredential: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlcredential/persistence-swift.enum>
    @objc public enum Persistence: UInt, Sendable {
        case none = 0
        case forSession = 1
        case permanent = 2
        case synchronizable = 3
    }

    /// <https://developer.apple.com/documentation/foundation/urlcredential/init(user:password:persistence:)>
    public init(user: String, password: String, persistence: Persistence) {}
    /// <https://developer.apple.com/documentation/foundation/urlcredential/persistence-swift.property>
    open var persistence: Persistence { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlcredential/user>
    open var user: String? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlcredential/password>
    open var password: String? { fatalError("not run") }
}

/// <https://developer.apple.com/documentation/foundation/urlcredentialstorage>, iOS 2.
@objc open class URLCredentialStorage: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlcredentialstorage/shared>
    open class var shared: URLCredentialStorage { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlcredentialstorage/allcredentials>
    open var allCredentials: [URLProtectionSpace: [String: URLCredential]] { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlcredentialstorage/credentials(for:)>
    open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlcredentialstorage/defaultcredential(for:)>
    open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlcredentialstorage/setdefaultcredential(_:for:)>
    open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {}
}

/// <https://developer.apple.com/documentation/foundation/urlprotectionspace>, iOS 2.
@objc open class URLProtectionSpace: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlprotectionspace/init(host:port:protocol:realm:authenticationmethod:)>
    public init(host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?) {}
    /// <https://developer.apple.com/documentation/foundation/urlprotectionspace/host>
    open var host: String { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotectionspace/port>
    open var port: Int { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotectionspace/protocol>
    open var `protocol`: String? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotectionspace/realm>
    open var realm: String? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotectionspace/authenticationmethod>
    open var authenticationMethod: String { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlprotectionspace/isproxy()>
    open func isProxy() -> Bool { fatalError("not run") }
}

/// <https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodhttpbasic>, iOS 2.
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// <https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodservertrust>, iOS 3.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
/// <https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodclientcertificate>, iOS 3.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// <https://developer.apple.com/documentation/foundation/urlauthenticationchallengesender>, iOS 2.
@objc public protocol URLAuthenticationChallengeSender: Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge)
    func cancel(_ challenge: URLAuthenticationChallenge)
    @objc optional func performDefaultHandling(for challenge: URLAuthenticationChallenge)
    @objc optional func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

/// <https://developer.apple.com/documentation/foundation/urlauthenticationchallenge>, iOS 2.
@objc open class URLAuthenticationChallenge: ObjectiveCObject, @unchecked Sendable {
    /// The initialiser of <https://developer.apple.com/documentation/foundation/urlauthenticationchallenge>.
    public init(
        protectionSpace space: URLProtectionSpace,
        proposedCredential credential: URLCredential?,
        previousFailureCount: Int,
        failureResponse response: URLResponse?,
        error: (any Error)?,
        sender: any URLAuthenticationChallengeSender
    ) {}
    /// <https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/protectionspace>
    open var protectionSpace: URLProtectionSpace { fatalError("not run") }
}
