import BundleWebKit
import Foundation
import OfflineBundles
import SwiftUI
import WebKit

@main
struct ShopApp: App {
    private let client: Result<BundleClient, any Error>

    init() {
        client = Result {
            let files = FileManager.default
            let support = try files.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            return try BundleClient(at: support.appending(path: "bundles").path)
        }
        if case .success(let client) = client {
            client.updateInBackground(as: "com.example.shop.update", session: "com.example.shop.downloads")
        }
    }

    var body: some Scene {
        WindowGroup {
            switch client {
            case .success(let client): ShopView(client: client).ignoresSafeArea()
            case .failure(let error): Text(error.localizedDescription)
            }
        }
        .backgroundTask(.urlSession("com.example.shop.downloads")) { [client] in
            _ = try? await client.get().handleEvents(forBackgroundSession: "com.example.shop.downloads")
        }
    }
}

/// The page, once the bundle that is shipped with the app is installed. The first one is shown when another version becomes active.
struct ShopView: View {
    let client: BundleClient
    @Environment(\.scenePhase) private var phase
    @State private var version: String?
    @State private var problem: String?

    var body: some View {
        Group {
            if let version {
                PageView(client: client, version: version)
            } else if let problem {
                Text(problem)
            } else {
                ProgressView()
            }
        }
        // Again when the app comes back: leaving it ends what runs.
        .task(id: phase == .background) {
            guard phase != .background else { return }
            problem = nil
            do {
                guard let archive = Bundle.main.url(forResource: "shop-1.0.0", withExtension: "zip") else {
                    throw CocoaError(.fileNoSuchFile)
                }
                try await client.seed(archive: archive.path)
            } catch {
                problem = error.localizedDescription
            }
            version = client.store.snapshot.bundles["shop"]?.activeVersion?.description
            // Without a network this fails, and the next time tries again.
            Task { try? await client.updateAll() }
            for await activation in client.activations where activation.name == "shop" {
                version = activation.version?.description
            }
        }
    }
}

/// A web view on the bundle, as `bundle://shop/`.
struct PageView: UIViewRepresentable {
    let client: BundleClient
    let version: String

    /// Remembers which version is shown: the view is updated for many reasons.
    @MainActor final class Coordinator {
        var shown: String?
    }

    func makeCoordinator() -> Coordinator { Coordinator() }

    func makeUIView(context: Context) -> WKWebView {
        let configuration = WKWebViewConfiguration()
        configuration.setURLSchemeHandler(BundleSchemeHandler(client), forURLScheme: "bundle")
        return WKWebView(frame: .zero, configuration: configuration)
    }

    func updateUIView(_ view: WKWebView, context: Context) {
        guard context.coordinator.shown != version, let page = URL(string: "bundle://shop/") else { return }
        context.coordinator.shown = version
        view.load(URLRequest(url: page))
    }
}
