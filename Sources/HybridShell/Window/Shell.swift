import BundleModel
import BundleTar
import BundleTransport
import BundleUpdate
import BundleWebKit
import CWebKitGTK
import Foundation
import OfflineBundles

/// The program: a client of the store, the proxy for the web view, the window, and updates. It lives until the window closes.
@MainActor
final class Shell {
    private let options: Options
    private let client: BundleClient
    private let connection = ConnectionState()
    private let proxy: ShellProxy
    private let scheme: SchemeHandler
    private let web: WebEnvironment
    private let link: LinkWatch
    private let loop = g_main_loop_new(nil, 0)
    private var window: MainWindow?
    private var trial = LoadTrial()

    static func run(_ options: Options) throws {
        guard gtk_init_check() != 0 else {
            throw ShellFailure("there is no display; set WAYLAND_DISPLAY or DISPLAY, or run it under xvfb-run")
        }
        // A peer that has gone is an error of the write, and not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let shell = try Shell(options)
        try shell.start()
        g_main_loop_run(shell.loop)
        shell.client.close()
    }

    private init(_ options: Options) throws {
        self.options = options
        var configuration = BundleClient.Configuration()
        configuration.archiveFormats = .zipAndTar
        configuration.updates.shellVersion = BundleVersion(ProductVersion.string)
        // Nobody but the clock asks for updates.
        configuration.updates.isScheduled = true
        // A mapped origin has paths that no bundle covers; they come here too.
        configuration.coversAllOrigins = true
        client = try BundleClient(at: options.store, transport: NIOTransport(), configuration: configuration)
        let responder = ShellResponder(client: client, connection: connection)
        proxy = try ShellProxy(InterceptedOrigins(client.store.snapshot), responder)
        scheme = SchemeHandler(responder)
        link = LinkWatch(client, connection)
        web = try WebEnvironment(options, proxy)
        scheme.register(in: web.context)
    }

    private func start() throws {
        guard let manifest = client.store.snapshot.bundles[options.name]?.serving?.manifest else {
            throw ShellFailure(
                "\(options.name) isn't installed in \(options.store); install it: "
                    + "bundlectl --store \(options.store) install ARCHIVE"
            )
        }
        let address = StartAddress.url(of: manifest, usesScheme: options.scheme)
        let quit: @MainActor @Sendable () -> Void = { [self] in end() }
        MainLoop.onTermination(quit)
        let open: @MainActor () -> UnsafeMutableRawPointer? = { [self] in
            if window == nil {
                window = MainWindow(options, web, start: address, onLoad: note, onClose: quit)
                window?.showOffline(false)
            }
            return window.map { UnsafeMutableRawPointer($0.view) }
        }
        watch()
        // A session of WebDriver asks for the window itself.
        if options.automation { web.automate(open) } else { _ = open(); window?.load(address) }
    }

    /// Ends the loop, after the time that WebKit needs: it writes local storage half a second behind the page.
    private func end() {
        window?.close()
        confirm(trial.result(of: nil))
        let quit: GSourceFunc = { loop in
            g_main_loop_quit(OpaquePointer(loop))
            return 0
        }
        g_timeout_add(800, quit, UnsafeMutableRawPointer(loop))
    }

    private func watch() {
        connection.observe { isOffline in MainLoop.run { [self] in window?.showOffline(isOffline) } }
        let (client, name, isKiosk) = (client, options.name, options.fullscreen)
        Task.detached {
            for await activation in client.activations {
                let notice = UpdateNotice(activation.name, activation.version, of: name, isKiosk: isKiosk)
                MainLoop.run { [self] in
                    // First: the release may have other origins, which a reload then asks.
                    intercept()
                    if let notice { window?.show(notice) }
                }
            }
        }
        guard options.updateInterval > 0 else { return }
        let pace = CheckPace(every: .seconds(options.updateInterval))
        Task.detached {
            var pause = pace.firstDelay
            while (try? await Task.sleep(for: pause)) != nil {
                do {
                    try await client.update(name)
                } catch is UpdatePostponement {
                    // It comes later.
                } catch { Self.log("no update: \(error)") }
                pause = pace.delay
            }
        }
    }

    /// Confirms the release that was active when a page began to load, once that has loaded and has worked for a while.
    private func note(_ event: LoadEvent) {
        let bundle = client.store.snapshot.bundles[options.name]
        switch event {
        case .began: trial.begin(with: bundle?.activeVersion)
        case .failed: trial.end()
        case .finished(let url, let status):
            let number = trial.finish { version in
                ReleasePage.isShown(url, status: status, of: options.name, version, in: client.store.snapshot)
            }
            guard let number else { return }
            let period = LoadTrial.period(for: bundle?.probationTerms)
            Task.detached {
                try? await Task.sleep(for: period)
                MainLoop.run { [self] in confirm(trial.result(of: number)) }
            }
        }
    }

    private func confirm(_ version: BundleVersion?) {
        guard let version else { return }
        let (client, name) = (client, options.name)
        Task.detached { _ = try? await client.confirm(name, version: version) }
    }

    /// Takes the origins that the store's bundles have now.
    private func intercept() {
        link.look()
        do {
            try web.intercept(InterceptedOrigins(client.store.snapshot))
        } catch { Self.log("new origins need a restart: \(error)") }
    }

    nonisolated static func log(_ text: String) {
        FileHandle.standardError.write(Data("hybrid-shell: \(text)\n".utf8))
    }
}

/// Where the window opens a bundle.
enum StartAddress {
    /// The entry page at the bundle's first origin; under the bundle's own scheme when it has none, or that is asked for.
    static func url(of manifest: BundleManifest, usesScheme: Bool) -> String {
        var components = manifest.entry.components
        // `index.html` is what a folder's URL stands for, and what its pages link to.
        if components.last == "index.html" { components[components.count - 1] = "" }
        let path = components.map { PercentEncoding.encode(component: String($0)) }.joined(separator: "/")
        let own = "\(BundleSchemeURL.scheme)://\(manifest.name)/\(path)"
        guard !usesScheme else { return own }
        return BundleSchemeURL(own)?.url(in: manifest.origins) ?? own
    }
}
