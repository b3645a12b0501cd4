import CWebKitGTK

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
