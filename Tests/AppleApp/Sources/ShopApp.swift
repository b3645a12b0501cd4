import BundleWebKit
import Foundation
import OfflineBundles
import SwiftUI
import WebKit

@main
struct ShopApp: App {
    init() {
        BundleClient.updateInBackground(as: "com.example.shop.update") { try await Shop.client() }
    }

    var body: some Scene {
        WindowGroup {
            ShopView().ignoresSafeArea()
        }
        .backgroundTask(.urlSession(Shop.downloads)) {
            _ = try? await Shop.client().handleEvents(forBackgroundSession: Shop.downloads)
        }
    }
}

/// The bundle and its store.
@MainActor
enum Shop {
    nonisolated static let downloads = "com.example.shop.downloads"
    private static var opened: BundleClient?

    /// The app's client. A store that can't be opened is tried again with the next call: before the device is unlocked for the first time,
    /// its files can't be read.
    static func client() throws -> BundleClient {
        if let opened { return opened }
        let files = FileManager.default
        let support = try files.url(
            for: .applicationSupportDirectory,
            in: .userDomainMask,
            appropriateFor: nil,
            create: true
        )
        let client = try BundleClient(at: support.appending(path: "bundles"))
        client.downloadInBackground(session: downloads)
        opened = client
        return client
    }

    /// Installs the bundle that is shipped with the app, if it is needed.
    static func seed() async throws {
        guard let archive = Bundle.main.url(forResource: "shop-1.0.0", withExtension: "zip") else {
            throw CocoaError(.fileNoSuchFile)
        }
        try await client().seed(archive: archive)
    }
}

/// The page, once the bundle that is shipped with the app is installed. Another version that becomes active replaces it.
struct ShopView: View {
    @Environment(\.scenePhase) private var phase
    @State private var client: BundleClient?
    @State private var version: String?
    @State private var problem: String?

    var body: some View {
        Group {
            if let client, let version {
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
                client = try Shop.client()
                try await Shop.seed()
            } catch {
                problem = error.localizedDescription
            }
            guard let client else { return }
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
