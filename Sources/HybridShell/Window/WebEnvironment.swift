import CWebKitGTK
import Foundation
import OfflineBundles

/// What WebKit works with: the context, and the session with its cookies, storage and proxy.
@MainActor
final class WebEnvironment {
    let context: OpaquePointer
    let session: OpaquePointer
    private let isAutomated: Bool
    private let downloads: String
    private let proxy: ShellProxy
    /// Those whose connections go through the proxy.
    private var sessions: [OpaquePointer] = []

    /// - Throws: ``ShellFailure`` when the folder of the data can't be made.
    init(_ options: Options, _ proxy: ShellProxy) throws {
        let data = try Self.folder(options)
        self.proxy = proxy
        isAutomated = options.automation
        downloads = options.downloads ?? Self.userDownloads
        // The process has one of each, until it ends.
        guard let context = webkit_web_context_new(),
            let session = webkit_network_session_new(data, data + "/cache")
        else {
            throw ShellFailure("WebKitGTK doesn't start")
        }
        (self.context, self.session) = (context, session)
        // The store is the cache: what WebKit kept for longer would hide updates.
        webkit_web_context_set_cache_model(context, WEBKIT_CACHE_MODEL_DOCUMENT_VIEWER)
        webkit_web_context_set_automation_allowed(context, isAutomated ? 1 : 0)
        let cookies = webkit_network_session_get_cookie_manager(session)
        webkit_cookie_manager_set_persistent_storage(
            cookies,
            data + "/cookies.sqlite",
            WEBKIT_COOKIE_PERSISTENT_STORAGE_SQLITE
        )
        prepare(session)
    }

    /// Has a session of WebDriver get the view that `open` makes.
    func automate(_ open: @escaping @MainActor () -> UnsafeMutableRawPointer?) {
        Signal.connect(UnsafeMutableRawPointer(context), "automation-started", arguments: 1) { [self] arguments in
            guard let session = arguments[0] else { return false }
            // Views that are controlled have a session of their own, which keeps nothing.
            if let own = webkit_web_context_get_network_session_for_automation(context) { prepare(own) }
            AutomationViews.connect(session, open)
            return false
        }
    }

    func makeView() -> UnsafeMutablePointer<WebKitWebView> {
        let view = shell_web_view_new(context, session, isAutomated ? 1 : 0)!
        let settings = webkit_web_view_get_settings(view)
        webkit_settings_set_enable_back_forward_navigation_gestures(settings, 1)
        return view
    }

    /// Has connections to these origins end in the shell from now on.
    ///
    /// - Throws: What making their certificate throws.
    func intercept(_ origins: InterceptedOrigins) throws {
        try proxy.intercept(origins) { trust in
            for session in sessions { allow(trust, in: session) }
        }
    }

    /// Has a host's certificate trusted again, if it is the shell's own. A network process of WebKit that was restarted, after the
    /// one before has ended, knows of none.
    ///
    /// - Returns: False when the certificate isn't the shell's, or when it isn't for this host.
    func trustAgain(_ certificate: UnsafeMutableRawPointer, of host: String) -> Bool {
        let own = proxy.trust.certificate.pointer.assumingMemoryBound(to: GTlsCertificate.self)
        guard proxy.trust.hosts.contains(host.lowercased()),
            g_tls_certificate_is_same(own, certificate.assumingMemoryBound(to: GTlsCertificate.self)) != 0
        else { return false }
        for session in sessions { allow(proxy.trust, in: session) }
        return true
    }

    private func prepare(_ session: OpaquePointer) {
        guard !sessions.contains(session) else { return }
        // Kept, also behind a session of WebDriver.
        g_object_ref(UnsafeMutableRawPointer(session))
        sessions.append(session)
        route(session)
        Signal.connect(UnsafeMutableRawPointer(session), "download-started", arguments: 1) { [self] arguments in
            if let download = arguments[0] { place(download) }
            return false
        }
    }

    private func route(_ session: OpaquePointer) {
        let settings = webkit_network_proxy_settings_new(proxy.url, nil)
        webkit_network_session_set_proxy_settings(session, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, settings)
        webkit_network_proxy_settings_free(settings)
        allow(proxy.trust, in: session)
    }

    private func allow(_ trust: ProxyTrust, in session: OpaquePointer) {
        let certificate = trust.certificate.pointer.assumingMemoryBound(to: GTlsCertificate.self)
        for host in trust.hosts {
            webkit_network_session_allow_tls_certificate_for_host(session, certificate, host)
        }
    }

    private func place(_ download: UnsafeMutableRawPointer) {
        Signal.connect(download, "decide-destination", arguments: 1) { [downloads] arguments in
            let suggestion = arguments[0].map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
            try? FileManager.default.createDirectory(atPath: downloads, withIntermediateDirectories: true)
            let name = DownloadName.choose(suggestion) {
                FileManager.default.fileExists(atPath: "\(downloads)/\($0)")
            }
            webkit_download_set_destination(OpaquePointer(download), "\(downloads)/\(name)")
            return true
        }
    }

    private static var userDownloads: String {
        g_get_user_special_dir(G_USER_DIRECTORY_DOWNLOAD).map { String(cString: $0) }
            ?? String(cString: g_get_home_dir()) + "/Downloads"
    }

    private static func folder(_ options: Options) throws -> String {
        let folder = options.data ?? String(cString: g_get_user_data_dir()) + "/hybrid-shell/\(options.name)"
        // Cookies are for this user alone.
        guard g_mkdir_with_parents(folder, 0o700) == 0 else {
            throw ShellFailure("\(folder) can't be made; give another folder with --data")
        }
        return URL(fileURLWithPath: folder).path
    }
}

/// The signal with which WebDriver asks for a view has that as its result.
@MainActor
private enum AutomationViews {
    private final class Box: Sendable {
        let open: @MainActor () -> UnsafeMutableRawPointer?

        init(_ open: @escaping @MainActor () -> UnsafeMutableRawPointer?) {
            self.open = open
        }
    }

    static func connect(
        _ session: UnsafeMutableRawPointer,
        _ open: @escaping @MainActor () -> UnsafeMutableRawPointer?
    ) {
        let call: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
            { _, box in
                guard let box else { return nil }
                let open = Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().open
                return UnsafeMutableRawPointer(bitPattern: MainActor.assumeIsolated { Int(bitPattern: open()) })
            }
        let box = Unmanaged.passRetained(Box(open)).toOpaque()
        shell_connect(session, "create-web-view", unsafeBitCast(call, to: GCallback.self), box) { box, _ in
            if let box { Unmanaged<Box>.fromOpaque(box).release() }
        }
    }
}

/// What a download is stored as: a name that the page or a server has suggested, made harmless.
enum DownloadName {
    /// A name without folders, control characters or a dot in front, of at most 200 bytes, that isn't taken.
    static func choose(_ suggestion: String, isTaken: (String) -> Bool) -> String {
        let last = suggestion.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        let visible = last.unicodeScalars.filter {
            !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 && $0.value != 0x7f
        }
        var name = String(String.UnicodeScalarView(visible)).drop { $0 == "." || $0 == " " }
        while name.utf8.count > 200 { name.removeLast() }
        let base = name.isEmpty ? "download" : String(name)
        guard isTaken(base) else { return base }
        let dot = base.lastIndex(of: ".") ?? base.endIndex
        return (2...).lazy.map { "\(base[..<dot]) (\($0))\(base[dot...])" }.first { !isTaken($0) } ?? base
    }
}
