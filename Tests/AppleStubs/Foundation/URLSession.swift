// Sessions, tasks and their delegates; see Foundation.swift beside it.

public import Foundation

/// <https://developer.apple.com/documentation/foundation/urlsession>, iOS 7.
@objc open class URLSession: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition>
    @objc public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential = 0
        case performDefaultHandling = 1
        case cancelAuthenticationChallenge = 2
        case rejectProtectionSpace = 3
    }

    /// <https://developer.apple.com/documentation/foundation/urlsession/responsedisposition>
    @objc public enum ResponseDisposition: Int, Sendable {
        case cancel = 0
        case allow = 1
        case becomeDownload = 2
        case becomeStream = 3
    }

    /// <https://developer.apple.com/documentation/foundation/urlsession/shared>
    open class var shared: URLSession { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsession/init(configuration:)>
    public init(configuration: URLSessionConfiguration) {}
    /// <https://developer.apple.com/documentation/foundation/urlsession/init(configuration:delegate:delegatequeue:)>
    public init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {}
    /// <https://developer.apple.com/documentation/foundation/urlsession/delegatequeue>
    open var delegateQueue: OperationQueue { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsession/configuration>
    open var configuration: URLSessionConfiguration { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsession/finishtasksandinvalidate()>
    open func finishTasksAndInvalidate() {}
    /// <https://developer.apple.com/documentation/foundation/urlsession/datatask(with:)-10dtk>
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsession/downloadtask(with:)-1onj>
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsession/alltasks>, iOS 15.
    open var allTasks: [URLSessionTask] { get async { fatalError("not run") } }
    /// <https://developer.apple.com/documentation/foundation/urlsession/uploadtask(with:from:)>
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        fatalError("not run")
    }
    /// <https://developer.apple.com/documentation/foundation/urlsession/uploadtask(with:fromfile:)>
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        fatalError("not run")
    }
}

/// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration>, iOS 7.
@objc open class URLSessionConfiguration: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/default>
    open class var `default`: URLSessionConfiguration { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/ephemeral>
    open class var ephemeral: URLSessionConfiguration { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/background(withidentifier:)>, iOS 8.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/sessionsendslaunchevents>
    open var sessionSendsLaunchEvents = true
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/requestcachepolicy>
    open var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/allowscellularaccess>
    open var allowsCellularAccess = true
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/allowsexpensivenetworkaccess>, iOS 13.
    open var allowsExpensiveNetworkAccess = true
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/allowsconstrainednetworkaccess>, iOS 13.
    open var allowsConstrainedNetworkAccess = true
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/timeoutintervalforrequest>
    open var timeoutIntervalForRequest: TimeInterval = 60
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/timeoutintervalforresource>
    open var timeoutIntervalForResource: TimeInterval = 0
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/httpshouldsetcookies>
    open var httpShouldSetCookies = true
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/httpcookieacceptpolicy>
    open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/httpadditionalheaders>
    open var httpAdditionalHeaders: [AnyHashable: Any]?
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/httpmaximumconnectionsperhost>
    open var httpMaximumConnectionsPerHost = 6
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/httpcookiestorage>
    open var httpCookieStorage: HTTPCookieStorage?
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/urlcredentialstorage>
    open var urlCredentialStorage: URLCredentialStorage?
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/urlcache>
    open var urlCache: URLCache?
    /// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/protocolclasses>
    open var protocolClasses: [AnyClass]?
}

/// <https://developer.apple.com/documentation/foundation/urlsessiontask>, iOS 7.
@objc open class URLSessionTask: ObjectiveCObject, @unchecked Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/state-swift.enum>
    @objc public enum State: Int, Sendable {
        case running = 0
        case suspended = 1
        case canceling = 2
        case completed = 3
    }

    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/taskidentifier>
    open var taskIdentifier: Int { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/taskdescription>
    open var taskDescription: String?
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/countofbytesreceived>
    open var countOfBytesReceived: Int64 { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/countofbytesclientexpectstoreceive>, iOS 11.
    open var countOfBytesClientExpectsToReceive: Int64 = 0
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/originalrequest>
    open var originalRequest: URLRequest? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/currentrequest>
    open var currentRequest: URLRequest? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/response>
    open var response: URLResponse? { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/delegate>, iOS 15.
    open var delegate: (any URLSessionTaskDelegate)? {
        get { fatalError("not run") }
        set {}
    }
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/state-swift.property>
    open var state: State { fatalError("not run") }
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/priority>
    open var priority: Float {
        get { fatalError("not run") }
        set {}
    }
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/cancel()>
    open func cancel() {}
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/suspend()>
    open func suspend() {}
    /// <https://developer.apple.com/documentation/foundation/urlsessiontask/resume()>
    open func resume() {}
}

/// <https://developer.apple.com/documentation/foundation/urlsessiondatatask>, iOS 7.
@objc open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// <https://developer.apple.com/documentation/foundation/urlsessionuploadtask>, iOS 7.
@objc open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

/// <https://developer.apple.com/documentation/foundation/urlsessiondownloadtask>, iOS 7.
@objc open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}

/// <https://developer.apple.com/documentation/foundation/urlsessiondelegate>, iOS 7.
@objc public protocol URLSessionDelegate: Sendable {
    /// <https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsessiondidfinishevents(forbackgroundurlsession:)>
    @objc optional func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
    /// <https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsession(_:didreceive:completionhandler:)>
    @objc optional func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
}

/// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate>, iOS 7.
@objc public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// A method of <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate>.
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:didreceive:completionhandler:)>
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
    /// A method of <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate>, iOS 17.
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    )
    /// <https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:didcompletewitherror:)>
    @objc optional func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    )
}

/// <https://developer.apple.com/documentation/foundation/urlsessiondatadelegate>, iOS 7.
@objc public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// <https://developer.apple.com/documentation/foundation/urlsessiondatadelegate/urlsession(_:datatask:didreceive:completionhandler:)>
    @objc optional func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    )
    /// <https://developer.apple.com/documentation/foundation/urlsessiondatadelegate/urlsession(_:datatask:didreceive:)>
    @objc optional func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
    /// A method of <https://developer.apple.com/documentation/foundation/urlsessiondatadelegate>.
    @objc optional func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    )
}

/// <https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate>, iOS 7.
@objc public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// <https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate/urlsession(_:downloadtask:didfinishdownloadingto:)>
    @objc func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    )
    /// A method of <https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate>.
    @objc optional func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    )
}
