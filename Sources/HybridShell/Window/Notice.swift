import CWebKitGTK

/// A line above the page, such as the offline badge.
@MainActor
final class Notice {
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
