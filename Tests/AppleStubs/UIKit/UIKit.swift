// What this project uses of UIKit, as Apple documents it; see WebKit.swift beside it.

public import Foundation

/// <https://developer.apple.com/documentation/uikit/uiview>, iOS 2.
@MainActor
open class UIView: NSObject {
    /// <https://developer.apple.com/documentation/uikit/uiview/init(frame:)>
    public init(frame: CGRect) {}
}

/// <https://developer.apple.com/documentation/uikit/uiapplication>, iOS 2.
@MainActor
open class UIApplication: NSObject {
    /// <https://developer.apple.com/documentation/uikit/uiapplication/shared>
    @available(iOSApplicationExtension, unavailable)
    open class var shared: UIApplication { fatalError("not run") }

    /// <https://developer.apple.com/documentation/uikit/uiapplication/open(_:options:completionhandler:)>, iOS 10, without its options.
    @available(iOSApplicationExtension, unavailable)
    open func open(_ url: URL) async -> Bool { false }
}
