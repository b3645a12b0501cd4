// What this project uses of UIKit, as Apple documents it; see WebKit.swift beside it.

public import Foundation

/// <https://developer.apple.com/documentation/uikit/uiview>, iOS 2.
@MainActor
open class UIView: NSObject {
    /// <https://developer.apple.com/documentation/uikit/uiview/init(frame:)>
    public init(frame: CGRect) {}
}
