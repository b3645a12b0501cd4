// What this project uses of SwiftUI, as Apple documents it; see WebKit.swift beside it. Nothing is shown: the tutorial's app is compiled,
// and not run.

public import UIKit

/// <https://developer.apple.com/documentation/swiftui/app>, iOS 14.
@MainActor
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor var body: Body { get }
    @MainActor init()
}

extension App {
    /// <https://developer.apple.com/documentation/swiftui/app/main()>
    @MainActor public static func main() { _ = Self() }
}

/// <https://developer.apple.com/documentation/swiftui/scene>, iOS 14.
@MainActor
public protocol Scene {}

extension Scene {
    /// <https://developer.apple.com/documentation/swiftui/scene/backgroundtask(_:action:)>, iOS 16.
    nonisolated public func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>,
        action: @escaping @Sendable (D) async -> R
    ) -> some Scene { self }
}

/// <https://developer.apple.com/documentation/swiftui/backgroundtask>, iOS 16.
public struct BackgroundTask<Request, Response>: Sendable {
    fileprivate init() {}
}

extension BackgroundTask<Void, Void> {
    /// <https://developer.apple.com/documentation/swiftui/backgroundtask/urlsession(_:)>
    public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> { BackgroundTask() }
}

/// <https://developer.apple.com/documentation/swiftui/scenebuilder>, iOS 14.
@resultBuilder
public enum SceneBuilder {
    /// <https://developer.apple.com/documentation/swiftui/scenebuilder/buildblock(_:)>
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// <https://developer.apple.com/documentation/swiftui/windowgroup>, iOS 14.
public struct WindowGroup<Content: View>: Scene {
    /// <https://developer.apple.com/documentation/swiftui/windowgroup/init(content:)>
    public init(@ViewBuilder content: () -> Content) {}
}

/// <https://developer.apple.com/documentation/swiftui/view>, iOS 13.
@MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor var body: Body { get }
}

extension View {
    /// <https://developer.apple.com/documentation/swiftui/view/task(priority:_:)>, iOS 15.
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }

    /// <https://developer.apple.com/documentation/swiftui/view/task(id:priority:_:)>, iOS 15.
    public func task<ID: Equatable>(
        id: ID,
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }

    /// <https://developer.apple.com/documentation/swiftui/view/ignoressafearea(_:edges:)>, iOS 14, without its parameters.
    public func ignoresSafeArea() -> some View { self }
}

extension Never: View {
    /// Nothing that an app could use.
    public var body: Never { fatalError("it has none") }
}

/// <https://developer.apple.com/documentation/swiftui/viewbuilder>, iOS 13.
@resultBuilder
public enum ViewBuilder {
    /// <https://developer.apple.com/documentation/swiftui/viewbuilder/buildblock(_:)>
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    /// <https://developer.apple.com/documentation/swiftui/viewbuilder/buildeither(first:)>
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
    /// <https://developer.apple.com/documentation/swiftui/viewbuilder/buildeither(second:)>
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
}

/// In place of `_ConditionalContent`.
public struct ConditionalContent<First: View, Second: View>: View {
    /// Nothing that an app could use.
    public var body: Never { fatalError("it has none") }
}

/// <https://developer.apple.com/documentation/swiftui/group>, iOS 13.
public struct Group<Content: View>: View {
    /// <https://developer.apple.com/documentation/swiftui/group/init(content:)>
    public init(@ViewBuilder content: () -> Content) {}
    /// Nothing that an app could use.
    public var body: Never { fatalError("it has none") }
}

/// <https://developer.apple.com/documentation/swiftui/text>, iOS 13.
public struct Text: View {
    /// <https://developer.apple.com/documentation/swiftui/text/init(_:)-9d1g4>
    public init(_ content: some StringProtocol) {}
    /// Nothing that an app could use.
    public var body: Never { fatalError("it has none") }
}

/// <https://developer.apple.com/documentation/swiftui/progressview>, iOS 14, without its label.
public struct ProgressView: View {
    /// <https://developer.apple.com/documentation/swiftui/progressview/init()>
    public init() {}
    /// Nothing that an app could use.
    public var body: Never { fatalError("it has none") }
}

/// <https://developer.apple.com/documentation/swiftui/scenephase>, iOS 14.
public enum ScenePhase: Comparable, Hashable, Sendable {
    case background
    case inactive
    case active
}

/// <https://developer.apple.com/documentation/swiftui/environmentvalues>, iOS 13.
public struct EnvironmentValues {
    fileprivate init() {}

    /// <https://developer.apple.com/documentation/swiftui/environmentvalues/scenephase>, iOS 14.
    public var scenePhase: ScenePhase { .active }
}

/// <https://developer.apple.com/documentation/swiftui/environment>, iOS 13.
@propertyWrapper
public struct Environment<Value> {
    private let path: KeyPath<EnvironmentValues, Value>

    /// <https://developer.apple.com/documentation/swiftui/environment/init(_:)>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { path = keyPath }
    /// <https://developer.apple.com/documentation/swiftui/environment/wrappedvalue>
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

/// <https://developer.apple.com/documentation/swiftui/state>, iOS 13.
@propertyWrapper
public struct State<Value> {
    private final class Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    /// <https://developer.apple.com/documentation/swiftui/state/init(wrappedvalue:)>
    public init(wrappedValue value: Value) { storage = Storage(value) }
    /// <https://developer.apple.com/documentation/swiftui/state/wrappedvalue>
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }
}

/// <https://developer.apple.com/documentation/swiftui/uiviewrepresentable>, iOS 13.
@MainActor
public protocol UIViewRepresentable: View where Body == Never {
    associatedtype UIViewType: UIView
    associatedtype Coordinator = Void
    @MainActor func makeCoordinator() -> Coordinator
    @MainActor func makeUIView(context: Context) -> UIViewType
    @MainActor func updateUIView(_ uiView: UIViewType, context: Context)
}

extension UIViewRepresentable {
    /// <https://developer.apple.com/documentation/swiftui/uiviewrepresentable/context>
    public typealias Context = UIViewRepresentableContext<Self>
    /// Nothing that an app could use.
    public var body: Never { fatalError("it has none") }
}

/// <https://developer.apple.com/documentation/swiftui/uiviewrepresentablecontext>, iOS 13.
@MainActor
public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
    /// <https://developer.apple.com/documentation/swiftui/uiviewrepresentablecontext/coordinator>
    public let coordinator: Representable.Coordinator
}
