import BundleWebKit
import Foundation
import OfflineBundles
import SwiftUI
import UIKit
import WebKit

@main
struct ShopApp: App {
    init() {
        let isRegistered = BundleClient.updateInBackground(as: Shop.update) { try await Shop.client() }
        assert(isRegistered, "the property list doesn't permit the task \(Shop.update)")
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
    nonisolated static let update = "com.example.shop.update"
    nonisolated static let downloads = "com.example.shop.downloads"
    private static var opening: Task<BundleClient, any Error>?

    /// The app's client, which is opened once. A store that can't be opened is tried again with the next call: before the device is
    /// unlocked for the first time, its files can't be read.
    static func client() async throws -> BundleClient {
        let task = opening ?? Task.detached { try open() }
        opening = task
        do {
            return try await task.value
        } catch {
            opening = nil
            throw error
        }
    }

    nonisolated private static func open() throws -> BundleClient {
        let support = try FileManager.default.url(
            for: .applicationSupportDirectory,
            in: .userDomainMask,
            appropriateFor: nil,
            create: true
        )
        let client = try BundleClient(at: support.appending(path: "bundles"))
        client.downloadInBackground(session: downloads)
        return client
    }

    /// Installs the bundle that is shipped with the app, if it is needed.
    static func seed() async throws {
        guard let archive = Bundle.main.url(forResource: "shop-1.0.0", withExtension: "zip") else {
            throw CocoaError(.fileNoSuchFile)
        }
        try await client().seed(archive: archive)
    }

    /// Without a network this fails, and the app tries again when it comes back.
    static func updateNow() async {
        do {
            for outcome in try await client().updateAll() {
                if let error = outcome.error { print("\(outcome.name) isn't updated: \(error)") }
            }
        } catch {
            print("nothing is updated: \(error)")
        }
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
                client = try await Shop.client()
                // The app is on the screen, whether or not the client was there to be told.
                client?.resume()
                try await Shop.seed()
            } catch is CancellationError {
                return
            } catch {
                problem = error.localizedDescription
            }
            guard let client else { return }
            version = client.store.snapshot.bundles["shop"]?.activeVersion?.description
            if version == nil, problem == nil { problem = "The store has no bundle named “shop”." }
            Task { await Shop.updateNow() }
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

    /// Remembers which version is shown, since the view is updated for many reasons, and responds to the web view.
    @MainActor final class Coordinator: NSObject, WKNavigationDelegate {
        var shown: String?

        /// The system may end the process of a page at any time.
        func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { webView.reload() }

        /// Links to other sites, and such as `tel:`, leave the app.
        func webView(
            _ webView: WKWebView,
            decidePolicyFor action: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            guard action.navigationType == .linkActivated, let url = action.request.url, url.scheme != "bundle" else {
                return .allow
            }
            _ = await UIApplication.shared.open(url)
            return .cancel
        }
    }

    func makeCoordinator() -> Coordinator { Coordinator() }

    func makeUIView(context: Context) -> WKWebView {
        let configuration = WKWebViewConfiguration()
        configuration.setURLSchemeHandler(BundleSchemeHandler(client), forURLScheme: "bundle")
        let view = WKWebView(frame: .zero, configuration: configuration)
        view.navigationDelegate = context.coordinator
        return view
    }

    func updateUIView(_ view: WKWebView, context: Context) {
        guard context.coordinator.shown != version, let page = URL(string: "bundle://shop/") else { return }
        context.coordinator.shown = version
        view.load(URLRequest(url: page))
    }
}
