import HTTPTypes

extension HTTPResponse.Status {
    /// The reason phrase that every response with this status has (RFC 9112 §4), whether it was made here, received or
    /// stored: that of the IANA registry; empty for a code that isn't in it.
    package var standardReasonPhrase: String { Self.standardReasonPhrases[code] ?? "" }

    private static let standardReasonPhrases: [Int: String] = {
        let statuses: [Self] = [
            .continue, .switchingProtocols, .earlyHints, .ok, .created, .accepted, .nonAuthoritativeInformation,
            .noContent, .resetContent, .partialContent, .multipleChoices, .movedPermanently, .found, .seeOther,
            .notModified, .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound,
            .methodNotAllowed, .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone,
            .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
            .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest, .unprocessableContent, .tooEarly,
            .upgradeRequired, .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge,
            .unavailableForLegalReasons, .internalServerError, .notImplemented, .badGateway, .serviceUnavailable,
            .gatewayTimeout, .httpVersionNotSupported, .networkAuthenticationRequired,
        ]
        let others = [
            102: "Processing", 207: "Multi-Status", 208: "Already Reported", 226: "IM Used", 305: "Use Proxy",
            402: "Payment Required", 423: "Locked", 424: "Failed Dependency", 506: "Variant Also Negotiates",
            507: "Insufficient Storage", 508: "Loop Detected",
        ]
        return others.merging(statuses.map { ($0.code, $0.reasonPhrase) }) { $1 }
    }()
}
