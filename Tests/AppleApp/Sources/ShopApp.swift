import BundleWebKit
import Foundation
import OfflineBundles
import SwiftUI
import WebKit

@main
struct ShopApp: App {
    private let client: BundleClient

    init() {
        do {
            let files = FileManager.default
            let folder = try files.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            client = try BundleClient(at: folder.appending(path: "bundles").path)
        } catch {
            fatalError("The bundles can't be opened: \(error.localizedDescription)")
        }
        client.updateInBackground(as: "com.example.shop.update")
    }

    var body: some Scene {
        WindowGroup {
            ShopView(client: client).ignoresSafeArea()
        }
    }
}

/// The page, once the bundle that is shipped with the app is installed. It is loaded again when another version becomes active.
struct ShopView: View {
    let client: BundleClient
    @State private var version: String?

    var body: some View {
        Group {
            if let version { PageView(client: client, version: version) } else { ProgressView() }
        }
        .task {
            let activations = client.activations
            if let archive = Bundle.main.url(forResource: "shop-1.0.0", withExtension: "zip") {
                _ = try? await client.seed(archive: archive.path)
            }
            version = client.store.snapshot.bundles["shop"]?.activeVersion?.description ?? ""
            // Without a network this fails, and the next start tries again.
            Task { try? await client.updateAll() }
            for await activation in activations where activation.name == "shop" {
                version = activation.version?.description
            }
        }
    }
}

/// A web view on the bundle, as `bundle://shop/`.
struct PageView: UIViewRepresentable {
    let client: BundleClient
    let version: String

    func makeUIView(context: Context) -> WKWebView {
        let configuration = WKWebViewConfiguration()
        configuration.setURLSchemeHandler(BundleSchemeHandler(client), forURLScheme: "bundle")
        return WKWebView(frame: .zero, configuration: configuration)
    }

    func updateUIView(_ view: WKWebView, context: Context) {
        guard let page = URL(string: "bundle://shop/") else { return }
        view.load(URLRequest(url: page))
    }
}
