// What this project uses of Apple's Foundation and Linux's lacks, as Apple documents it; see scripts/typecheck-apple. Sources that are
// checked import this module as Foundation. Nothing of it is run.
//
// On Linux neither NSObject nor NSObjectProtocol is Objective-C's. In their place the classes here inherit from one of their own, and the
// protocols refine nothing.

@_exported public import Darwin
@_exported public import Foundation

/// <https://developer.apple.com/documentation/corefoundation/cfrunloop>, iOS 2.
public final class CFRunLoop {}

/// <https://developer.apple.com/documentation/corefoundation/cfrunloopwakeup(_:)>, iOS 2.
public func CFRunLoopWakeUp(_ rl: CFRunLoop!) {}

extension RunLoop {
    /// <https://developer.apple.com/documentation/foundation/runloop/getcfrunloop()>, iOS 2.
    public func getCFRunLoop() -> CFRunLoop { CFRunLoop() }
}

/// <https://developer.apple.com/documentation/foundation/nsurlerrornetworkunavailablereasonkey>, iOS 13.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

#if !os(macOS)
    extension ProcessInfo {
        /// <https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)>, iOS 8.2, tvOS 9,
        /// visionOS 1; macOS has none.
        public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void)
        {}
    }
#endif

/// In place of Objective-C's `NSObject`.
@objc @_swift_native_objc_runtime_base(ObjectiveCObjectBase)
open class ObjectiveCObject: Hashable {
    /// <https://developer.apple.com/documentation/objectivec/nsobject-swift.class/init()>
    public init() {}

    /// Of Objective-C, by `isEqual`.
    public static func == (one: ObjectiveCObject, other: ObjectiveCObject) -> Bool { one === other }
    /// Of Objective-C, by `hash`.
    public func hash(into hasher: inout Hasher) {}
}
