import { describeFailure } from '../../../kernel/http-client/failure.ts';
import type { SendsRequests } from '../../../kernel/http-client/http-client.ts';
import { type Traces, traced } from '../../../kernel/tracing/tracer.ts';

/** Makes each request a span, which its `traceparent` names. URLs may be secrets: only host and port are attributes. */
export function tracedTransport(transport: SendsRequests, traces: Traces): SendsRequests {
  return {
    send(request) {
      if (!traces.tracer) return transport.send(request);
      const { method = 'GET', url, headers, signal } = request;
      const { hostname, port, protocol } = new URL(url);
      const attributes = {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      };
      return traced(
        traces,
        `HTTP ${method}`,
        () => ({ kind: 'client', attributes }),
        async (span) => {
          const traceparent = span && { traceparent: span.traceparent };
          try {
            const answer = await transport.send({ ...request, headers: { ...headers, ...traceparent } });
            span?.set({ 'http.response.status_code': answer.status });
            if (answer.status >= 400) span?.fail(`status ${answer.status}`);
            return answer;
          } catch (error) {
            span?.fail(signal?.aborted ? 'aborted' : describeFailure(error));
            throw error;
          }
        },
      );
    },
  };
}
