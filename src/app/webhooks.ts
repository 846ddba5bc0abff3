/** The delivery of changes to webhooks, and the end of open streams of changes. */

import { createDeliveries } from '../jobs/webhooks/deliveries.ts';
import { createReceiverAddresses } from '../jobs/webhooks/receiver-address.ts';
import { createSendWebhook } from '../jobs/webhooks/send-webhook.ts';
import type { Security } from '../security/security.ts';
import type { Node } from './node.ts';
import { nodeName } from './serving.ts';

export type NodeWebhooks = ReturnType<typeof createNodeWebhooks>;

export function createNodeWebhooks(
  { db, deployment, served, clock, logger }: Node,
  { webhookSecrets }: Pick<Security, 'webhookSecrets'>,
) {
  const { allowedNetworks, retentionDays } = deployment.webhooks;
  const addresses = createReceiverAddresses(allowedNetworks);
  const send = createSendWebhook({ addresses, clock });
  const deliveries = createDeliveries({
    ...{ db, node: nodeName, environments: [...served.keys()], retentionDays, send, logger },
    secretsOf: ({ secrets }) => webhookSecrets.open(secrets),
  });
  const streams = new AbortController();
  return { deliveries, send, addresses, stopping: streams.signal, endStreams: () => streams.abort() };
}
