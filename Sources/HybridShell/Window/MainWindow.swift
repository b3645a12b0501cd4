import BundleModel
import CWebKitGTK
import OfflineBundles

/// The window: a bar with the controls and the title, the page, and notices above it. In kiosk mode the page and the notices.
@MainActor
final class MainWindow {
    let view: UnsafeMutablePointer<WebKitWebView>
    private let window: UnsafeMutablePointer<GtkWindow>
    private let web: WebEnvironment
    private let address: String
    private let isKiosk: Bool
    private let offline = ShellNotice("Offline", "offline")
    private let update = ShellNotice("", "update")
    private let onLoad: @MainActor (LoadEvent) -> Void
    private var hasFailed = false
    /// Whether what is loaded next is the page about a failure.
    private var isReportingFailure = false
    /// What is loaded a second time after an untrusted certificate.
    private var secondAttempt: String?
    private var controls: WindowControls?

    /// - Parameter onLoad: Called with what becomes of pages.
    init(
        _ options: Options,
        _ web: WebEnvironment,
        start: String,
        onLoad: @escaping @MainActor (LoadEvent) -> Void,
        onClose: @escaping @MainActor () -> Void
    ) {
        self.onLoad = onLoad
        self.web = web
        view = web.makeView()
        address = start
        isKiosk = options.fullscreen
        window = UnsafeMutableRawPointer(gtk_window_new()).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_title(window, "\(options.name)")
        let size = isKiosk ? Self.screenSize : nil
        gtk_window_set_default_size(window, size?.width ?? 1_024, size?.height ?? 768)
        gtk_window_set_child(window, content())
        if isKiosk { gtk_window_fullscreen(window) } else { controls = WindowControls(window, view, home: start) }
        watch(onClose)
        gtk_window_present(window)
    }

    /// The size of the first screen, in application pixels. Without a window manager, which a kiosk needn't have, nobody
    /// makes a window as large as the screen.
    private static var screenSize: (width: Int32, height: Int32)? {
        guard let monitor = g_list_model_get_item(gdk_display_get_monitors(gdk_display_get_default()), 0) else {
            return nil
        }
        defer { g_object_unref(monitor) }
        var area = GdkRectangle()
        gdk_monitor_get_geometry(OpaquePointer(monitor), &area)
        return (area.width, area.height)
    }

    func load(_ url: String) {
        webkit_web_view_load_uri(view, url)
    }

    /// Takes the window from the screen; the page is there until the program ends.
    func close() {
        gtk_widget_set_visible(Self.cast(UnsafeMutableRawPointer(window)), 0)
    }

    func showOffline(_ isOffline: Bool) {
        offline.isVisible = isOffline
    }

    func show(_ notice: UpdateNotice) {
        guard let text = notice.text else { return webkit_web_view_reload(view) }
        update.text = text
        update.isVisible = true
    }

    private func content() -> UnsafeMutablePointer<GtkWidget> {
        let overlay = gtk_overlay_new()!
        let notices = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)!
        gtk_widget_set_halign(notices, GTK_ALIGN_START)
        gtk_widget_set_valign(notices, GTK_ALIGN_END)
        gtk_widget_set_can_target(notices, 0)
        for notice in [offline, update] { gtk_box_append(Self.cast(notices), notice.widget) }
        gtk_overlay_set_child(OpaquePointer(overlay), Self.cast(UnsafeMutableRawPointer(view)))
        gtk_overlay_add_overlay(OpaquePointer(overlay), notices)
        return overlay
    }

    private func watch(_ onClose: @escaping @MainActor () -> Void) {
        let object = UnsafeMutableRawPointer(view)
        Signal.connect(UnsafeMutableRawPointer(window), "close-request", arguments: 0) { _ in
            onClose()
            // It isn't destroyed.
            return true
        }
        Signal.connect(object, "notify::title", arguments: 1) { [self] _ in
            let title = webkit_web_view_get_title(view).map { String(cString: $0) } ?? ""
            gtk_window_set_title(window, title.isEmpty ? address : title)
            return false
        }
        Signal.connect(object, "load-changed", arguments: 1) { [self] arguments in
            switch Signal.integer(arguments[0]) {
            case Int32(WEBKIT_LOAD_STARTED.rawValue):
                update.isVisible = false
                hasFailed = isReportingFailure
                isReportingFailure = false
                onLoad(.began)
            case Int32(WEBKIT_LOAD_COMMITTED.rawValue): secondAttempt = nil
            case Int32(WEBKIT_LOAD_FINISHED.rawValue) where !hasFailed: onLoad(finished)
            default: break
            }
            return false
        }
        Signal.connect(object, "context-menu", arguments: 2) { [isKiosk] _ in isKiosk }
        Signal.connect(object, "load-failed", arguments: 3) { [self] in failed(uri: $0[1], error: $0[2]) }
        Signal.connect(object, "load-failed-with-tls-errors", arguments: 3) { [self] in
            failed(uri: $0[0], certificate: $0[1])
        }
        Signal.connect(object, "resource-load-started", arguments: 2) { [self] in
            if let resource = $0[0] { watch(resource) }
            return false
        }
        Signal.connect(object, "decide-policy", arguments: 2) { Policy.decide($0[0], Signal.integer($0[1])) }
        Signal.connect(object, "web-process-terminated", arguments: 1) { [self] _ in
            onLoad(.failed)
            webkit_web_view_reload(view)
            return false
        }
    }

    /// That the page has loaded. Its own scripts can change the URL of the view, and not that of the resource.
    private var finished: LoadEvent {
        let resource = webkit_web_view_get_main_resource(view)
        let response = resource.flatMap { webkit_web_resource_get_response($0) }
        return .finished(
            url: resource.flatMap { webkit_web_resource_get_uri($0) }.map { String(cString: $0) } ?? "",
            status: response.map { Int(webkit_uri_response_get_status_code($0)) } ?? 0
        )
    }

    /// What couldn't be loaded at all, such as a page of another origin without a network.
    private func failed(uri: UnsafeMutableRawPointer?, error: UnsafeMutableRawPointer?) -> Bool {
        guard let uri, let error = error?.assumingMemoryBound(to: GError.self) else { return false }
        let isPolicy = error.pointee.domain == webkit_policy_error_quark()
        let isCancelled =
            error.pointee.domain == webkit_network_error_quark()
            && error.pointee.code == Int32(WEBKIT_NETWORK_ERROR_CANCELLED.rawValue)
        // A download that took the place of a page, or a user who has gone on.
        hasFailed = true
        onLoad(.failed)
        guard !isPolicy, !isCancelled else { return false }
        let url = String(cString: uri.assumingMemoryBound(to: CChar.self))
        Shell.log("\(url) can't be loaded: \(String(cString: error.pointee.message))")
        showFailure(.unreachable, of: url)
        return true
    }

    /// A page whose server has a certificate that WebKit doesn't trust.
    private func failed(uri: UnsafeMutableRawPointer?, certificate: UnsafeMutableRawPointer?) -> Bool {
        guard let uri, let certificate else { return false }
        let url = String(cString: uri.assumingMemoryBound(to: CChar.self))
        hasFailed = true
        onLoad(.failed)
        if secondAttempt != url, trustAgain(certificate, of: url) {
            secondAttempt = url
            webkit_web_view_load_uri(view, url)
        } else {
            Shell.log("\(url) can't be loaded: its certificate isn't trusted")
            showFailure(.untrusted, of: url)
        }
        return true
    }

    /// What a page loads has no second attempt; the page itself asks again.
    private func watch(_ resource: UnsafeMutableRawPointer) {
        Signal.connect(resource, "failed-with-tls-errors", arguments: 2) { [self] arguments in
            let url = webkit_web_resource_get_uri(OpaquePointer(resource)).map { String(cString: $0) }
            if let url, let certificate = arguments[0] { _ = trustAgain(certificate, of: url) }
            return false
        }
    }

    private func trustAgain(_ certificate: UnsafeMutableRawPointer, of url: String) -> Bool {
        guard let host = (try? HTTPURL(url))?.host else { return false }
        return web.trustAgain(certificate, of: host)
    }

    private func showFailure(_ reason: ErrorPage.Reason, of url: String) {
        isReportingFailure = true
        webkit_web_view_load_alternate_html(view, ErrorPage.html(reason, url: url), url, nil)
    }

    private static func cast<Target>(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Target> {
        pointer.assumingMemoryBound(to: Target.self)
    }
}

/// The buttons of the title bar.
@MainActor
final class WindowControls {
    private let view: UnsafeMutablePointer<WebKitWebView>
    private let back: UnsafeMutablePointer<GtkWidget>
    private let forward: UnsafeMutablePointer<GtkWidget>

    init(_ window: UnsafeMutablePointer<GtkWindow>, _ view: UnsafeMutablePointer<WebKitWebView>, home: String) {
        self.view = view
        let bar = gtk_header_bar_new()!
        back = Self.button("go-previous-symbolic", "Back") { webkit_web_view_go_back(view) }
        forward = Self.button("go-next-symbolic", "Forward") { webkit_web_view_go_forward(view) }
        let reload = Self.button("view-refresh-symbolic", "Reload") { webkit_web_view_reload(view) }
        let start = Self.button("go-home-symbolic", "Start") { webkit_web_view_load_uri(view, home) }
        for button in [back, forward, reload, start] { gtk_header_bar_pack_start(OpaquePointer(bar), button) }
        gtk_window_set_titlebar(window, bar)
        let list = UnsafeMutableRawPointer(webkit_web_view_get_back_forward_list(view))
        Signal.connect(list!, "changed", arguments: 2) { [weak self] _ in
            self?.enable()
            return false
        }
        enable()
    }

    private func enable() {
        gtk_widget_set_sensitive(back, webkit_web_view_can_go_back(view))
        gtk_widget_set_sensitive(forward, webkit_web_view_can_go_forward(view))
    }

    private static func button(
        _ icon: String,
        _ name: String,
        _ action: @escaping @MainActor () -> Void
    ) -> UnsafeMutablePointer<GtkWidget> {
        let button = gtk_button_new_from_icon_name(icon)!
        gtk_widget_set_tooltip_text(button, name)
        Signal.connect(UnsafeMutableRawPointer(button), "clicked", action)
        return button
    }
}

/// A line above the page, such as the offline badge.
@MainActor
final class ShellNotice {
    let widget: UnsafeMutablePointer<GtkWidget>

    init(_ text: String, _ style: String) {
        widget = gtk_label_new(text)
        gtk_widget_add_css_class(widget, "shell-notice")
        gtk_widget_add_css_class(widget, style)
        gtk_widget_set_halign(widget, GTK_ALIGN_START)
        gtk_widget_set_visible(widget, 0)
        Self.addStyle
    }

    var text: String = "" {
        didSet { gtk_label_set_text(OpaquePointer(widget), text) }
    }

    var isVisible: Bool {
        get { gtk_widget_get_visible(widget) != 0 }
        set { gtk_widget_set_visible(widget, newValue ? 1 : 0) }
    }

    private static let addStyle: Void = {
        let style = gtk_css_provider_new()
        gtk_css_provider_load_from_data(
            style,
            """
            .shell-notice { margin: 8px; padding: 4px 12px; border-radius: 12px; font-weight: bold; color: white; }
            .shell-notice.offline { background: #9a3b00; }
            .shell-notice.update { background: #1a5fb4; }
            """,
            -1
        )
        let priority = guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION)
        gtk_style_context_add_provider_for_display(gdk_display_get_default(), OpaquePointer(style), priority)
    }()
}

/// What the window does when another version of its bundle responds.
enum UpdateNotice: Equatable, Sendable {
    case reload
    /// Tells the user, whose page may have something that isn't sent yet.
    case offer(version: String)

    /// Nil for other bundles, and when none responds any more: what is shown stays.
    init?(_ changed: BundleName, _ version: BundleVersion?, of name: BundleName, isKiosk: Bool) {
        guard changed == name, let version else { return nil }
        self = isKiosk ? .reload : .offer(version: "\(version)")
    }

    var text: String? {
        if case .offer(let version) = self { "Version \(version) is here. Reload to see it." } else { nil }
    }
}

/// What becomes of a response: shown, or stored as a download.
@MainActor
enum Policy {
    static func decide(_ decision: UnsafeMutableRawPointer?, _ type: Int32) -> Bool {
        guard let decision, shell_is_response_decision(WebKitPolicyDecisionType(UInt32(type))) != 0 else {
            return false
        }
        let pointer = OpaquePointer(decision)
        let isShown = webkit_response_policy_decision_is_mime_type_supported(pointer) != 0 && !isAttachment(pointer)
        let isPage = webkit_response_policy_decision_is_main_frame_main_resource(pointer) != 0
        guard !isShown, isPage else { return false }
        webkit_policy_decision_download(decision.assumingMemoryBound(to: WebKitPolicyDecision.self))
        return true
    }

    /// RFC 6266 §4.2.
    private static func isAttachment(_ decision: OpaquePointer) -> Bool {
        guard let response = webkit_response_policy_decision_get_response(decision),
            let headers = webkit_uri_response_get_http_headers(response),
            let value = soup_message_headers_get_one(headers, "Content-Disposition")
        else { return false }
        return String(cString: value).lowercased().hasPrefix("attachment")
    }
}
