/** Observes each call for the transports: measures, logs and traces it. */

import type { Observer } from '../../handlers/chain/call.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallInScope, CallScope } from './call-scope.ts';
import { parseTraceparent, type Span, type Tracer } from './tracer.ts';

export type ObserverOptions = { scope: CallScope; metrics?: CallMetrics; tracer?: Tracer };

export function createObserver({ scope, metrics, tracer }: ObserverOptions): Observer {
  return {
    begin({ transport, requestId, traceparent }) {
      const startedAt = metrics && performance.now();
      metrics?.begin();
      const span = tracer?.start(transport, parseTraceparent(traceparent));
      span?.setAttribute('personalisation.request_id', requestId);
      const call: CallInScope = { requestId, span };
      let isOver = false;
      return {
        run: (work) => scope.run(call, work),
        enter: (environment) => span?.setAttribute('personalisation.environment', environment),
        end(operation, outcome) {
          if (isOver) return;
          isOver = true;
          metrics?.end({ operation, transport, outcome, seconds: (performance.now() - startedAt!) / 1_000 });
          if (span) endSpan(span, { operation, transport, outcome });
        },
      };
    },
  };
}

type Ended = { operation: string; transport: string; outcome?: string };

function endSpan(span: Span, { operation, transport, outcome }: Ended): void {
  span.rename(operation.slice(operation.lastIndexOf('.') + 1));
  span.setAttribute('rpc.method', operation);
  span.setAttribute('personalisation.transport', transport);
  span.setAttribute('personalisation.outcome', outcome ?? 'OK');
  span.end(outcome);
}
