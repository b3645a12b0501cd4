// What this project uses of WebKit, as Apple documents it, so that code for Apple's systems compiles on Linux; see scripts/check-apple.
// Isolation and Sendability are those that the documentation shows: a declaration without them has neither here.

public import Foundation
public import UIKit

#if canImport(FoundationNetworking)
    // A part of Foundation on Apple's systems.
    @_exported public import FoundationNetworking
#endif

/// <https://developer.apple.com/documentation/webkit/wkurlschemetask>, iOS 11.
public protocol WKURLSchemeTask: NSObjectProtocol {
    var request: URLRequest { get }
    func didReceive(_ response: URLResponse)
    func didReceive(_ data: Data)
    func didFinish()
    func didFailWithError(_ error: any Error)
}

/// <https://developer.apple.com/documentation/webkit/wkurlschemehandler>, iOS 11.
@MainActor
public protocol WKURLSchemeHandler: NSObjectProtocol {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

/// <https://developer.apple.com/documentation/webkit/wkwebviewconfiguration>, iOS 8.
@MainActor
open class WKWebViewConfiguration: NSObject {
    private var handlers: [String: any WKURLSchemeHandler] = [:]

    override public init() {}

    /// <https://developer.apple.com/documentation/webkit/wkwebviewconfiguration/seturlschemehandler(_:forurlscheme:)>, iOS 11.
    open func setURLSchemeHandler(_ urlSchemeHandler: (any WKURLSchemeHandler)?, forURLScheme urlScheme: String) {
        precondition(
            !WKWebView.handlesURLScheme(urlScheme),
            "WebKit handles this scheme itself, and raises an exception"
        )
        handlers[urlScheme] = urlSchemeHandler
    }

    /// <https://developer.apple.com/documentation/webkit/wkwebviewconfiguration/urlschemehandler(forurlscheme:)>, iOS 11.
    open func urlSchemeHandler(forURLScheme urlScheme: String) -> (any WKURLSchemeHandler)? { handlers[urlScheme] }
}

/// <https://developer.apple.com/documentation/webkit/wkwebview>, iOS 8.
@MainActor
open class WKWebView: UIView {
    /// <https://developer.apple.com/documentation/webkit/wkwebview/configuration>, iOS 8.
    public let configuration: WKWebViewConfiguration

    /// <https://developer.apple.com/documentation/webkit/wkwebview/navigationdelegate>
    open weak var navigationDelegate: (any WKNavigationDelegate)?

    /// <https://developer.apple.com/documentation/webkit/wkwebview/init(frame:configuration:)>
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.configuration = configuration
        super.init(frame: frame)
    }

    /// <https://developer.apple.com/documentation/webkit/wkwebview/load(_:)>
    @discardableResult
    open func load(_ request: URLRequest) -> WKNavigation? { nil }

    /// <https://developer.apple.com/documentation/webkit/wkwebview/reload()>
    @discardableResult
    open func reload() -> WKNavigation? { nil }

    /// <https://developer.apple.com/documentation/webkit/wkwebview/handlesurlscheme(_:)>, iOS 11.
    open class func handlesURLScheme(_ urlScheme: String) -> Bool {
        ["http", "https", "file", "about", "data", "blob", "ws", "wss", "ftp"].contains(urlScheme.lowercased())
    }
}

/// <https://developer.apple.com/documentation/webkit/wknavigationdelegate>, iOS 8. Its requirements are optional.
@MainActor
public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView,
        decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}

extension WKNavigationDelegate {
    /// In place of an optional requirement.
    public func webView(
        _ webView: WKWebView,
        decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy { .allow }

    /// In place of an optional requirement.
    public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {}
}

/// <https://developer.apple.com/documentation/webkit/wknavigationaction>, iOS 8.
@MainActor
open class WKNavigationAction: NSObject {
    /// <https://developer.apple.com/documentation/webkit/wknavigationaction/navigationtype>
    open var navigationType: WKNavigationType { .other }
    /// <https://developer.apple.com/documentation/webkit/wknavigationaction/request>
    open var request: URLRequest { fatalError("not run") }
}

/// <https://developer.apple.com/documentation/webkit/wknavigationtype>, iOS 8, as far as it is used.
public enum WKNavigationType: Int, Sendable {
    case linkActivated = 0
    case other = -1
}

/// <https://developer.apple.com/documentation/webkit/wknavigationactionpolicy>, iOS 8, as far as it is used.
public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel = 0
    case allow = 1
}

/// <https://developer.apple.com/documentation/webkit/wknavigation>, iOS 8.
@MainActor
open class WKNavigation: NSObject {}
