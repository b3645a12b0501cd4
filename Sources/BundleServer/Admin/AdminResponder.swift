import BundleServing
import BundleStore
import HTTPTypes

/// Answers on the operator's own listener: `/metrics`, `/healthz`, `/readyz`.
struct AdminResponder: Sendable {
    let health: EndpointHealth
    let metrics: EndpointMetrics
    let store: StoreGauge
    let process: ProcessMetrics
    let log: AccessLog?

    func answer(to request: HTTPRequest) async -> HTTPAnswer {
        if let answer = health.answer(to: request) { return answer }
        guard request.path?.prefix(while: { $0 != "?" }) == "/metrics" else {
            return finished(.plain(.notFound, "There are /metrics, /healthz and /readyz here."), request)
        }
        guard request.method == .get || request.method == .head else {
            return .plain(.methodNotAllowed, "Only GET and HEAD are answered here.", fields: [.allow: "GET, HEAD"])
        }
        return finished(await page(), request)
    }

    private func page() async -> HTTPAnswer {
        var text = PrometheusText()
        metrics.write(to: &text)
        if let log {
            text.counter("bundlectl_access_log_lost_lines_total", "Lines that the access log couldn't write.")
            text.sample([], log.lostLineCount)
        }
        await store.write(to: &text)
        process.write(to: &text)
        var answer = HTTPAnswer.plain(.ok, "")
        answer.body = AnswerBody(text.text)
        answer.head.headerFields[.contentType] = PrometheusText.mediaType
        answer.head.headerFields[.contentLength] = String(answer.body.byteCount)
        return answer
    }

    private func finished(_ answer: HTTPAnswer, _ request: HTTPRequest) -> HTTPAnswer {
        request.method == .head ? answer.withoutBody : answer
    }
}
