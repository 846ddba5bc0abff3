/** The delivery of changes to webhooks, and the end of open streams of changes. */

import { createDeliveries } from '../jobs/webhooks/deliveries.ts';
import { createReceiverAddresses } from '../jobs/webhooks/receiver-address.ts';
import { createSendMail, mailAddressOf, mailScheme } from '../jobs/webhooks/send-mail.ts';
import { createSendWebhook, type SendWebhook } from '../jobs/webhooks/send-webhook.ts';
import type { ChangeKind } from '../repository/changes/changes.ts';
import { setMailWebhooks } from '../repository/changes/webhooks.ts';
import type { Security } from '../security/security.ts';
import type { Node } from './node.ts';
import { nodeName } from './serving.ts';

export type NodeWebhooks = ReturnType<typeof createNodeWebhooks>;

const mailedKinds: ChangeKind[] = ['alert.raised', 'alert.resolved', 'import.failed'];

export function createNodeWebhooks(
  { db, deployment, served, clock, logger }: Node,
  { webhookSecrets }: Pick<Security, 'webhookSecrets'>,
) {
  const { allowedNetworks, retentionDays } = deployment.webhooks;
  const addresses = createReceiverAddresses(allowedNetworks);
  const post = createSendWebhook({ addresses, clock });
  const { smtp } = deployment;
  const mail = smtp && createSendMail({ smtp, clock });
  const send: SendWebhook = (message, signal) =>
    mail && message.url.startsWith(mailScheme) ? mail(message, signal) : post(message, signal);
  const environments = [...served.keys()];
  const begin = async () => {
    await setMailWebhooks(db, environments, smtp && { url: mailAddressOf(smtp), kinds: mailedKinds });
    deliveries.start();
  };
  const deliveries = createDeliveries({
    ...{ db, node: nodeName, environments, retentionDays, send, logger },
    secretsOf: ({ secrets }) => webhookSecrets.open(secrets),
  });
  const streams = new AbortController();
  return { deliveries, begin, send, addresses, stopping: streams.signal, endStreams: () => streams.abort() };
}
