import CWebKitGTK

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
