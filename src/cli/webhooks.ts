/** `personalisation webhooks …`: receivers of changes. */

import { type Command, Option } from 'commander';
import { type WebhookDelivery, WebhookState } from '../../gen/es/personalisation/v1/webhook_pb.js';
import { WebhookService } from '../../gen/es/personalisation/v1/webhook_service_pb.js';
import { parseCount, splitList } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { readAll } from './connection/pages.ts';
import { formatTable, joinParts, momentOf, print } from './output.ts';

type Options = EnvironmentOptions;
type CreateOptions = Options & { kinds?: string; description?: string };
type UpdateOptions = CreateOptions & { receiver?: string; state?: 'active' | 'disabled' };

export function registerWebhooks(program: Command): void {
  const command = program.command('webhooks').description('receivers of changes');
  const describe = (name: string, text: string) =>
    withConnection(command.command(name))
      .description(text)
      .requiredOption('--environment <name>', 'environment of the changes');
  const ofWebhook = (name: string, text: string) => describe(name, text).argument('<id>', 'the webhook');
  describe('create', 'create a webhook; its secret is printed once')
    .argument('<url>', 'address of the receiver')
    .option('--kinds <list>', 'kinds of changes, separated by commas (default: all)')
    .option('--description <text>', 'text for people')
    .action(serviceAction(createWebhook));
  ofWebhook('update', 'change a webhook; what is not given stays')
    .option('--receiver <url>', 'address of the receiver')
    .option('--kinds <list>', 'kinds of changes, separated by commas; all for every kind')
    .option('--description <text>', 'text for people')
    .addOption(new Option('--state <state>', 'active resumes deliveries').choices(['active', 'disabled']))
    .action(serviceAction(updateWebhook));
  describe('list', 'list the webhooks').action(serviceAction(listWebhooks));
  ofWebhook('delete', 'delete a webhook').action(
    serviceAction(async (connection, webhookId: string, { environment }: Options) => {
      await connection.client(WebhookService).deleteWebhook({ environment, webhookId });
      print(`${webhookId} is deleted.`);
    }),
  );
  ofWebhook('rotate', 'add a secret, which is printed once; earlier ones still sign for a while')
    .option('--overlap-hours <count>', 'hours for which they sign (default: 24)', parseCount)
    .action(
      serviceAction(async (connection, webhookId: string, options: Options & { overlapHours?: number }) => {
        const { environment, overlapHours } = options;
        const request = { environment, webhookId, overlapHours };
        print((await connection.client(WebhookService).rotateWebhookSecret(request)).secret);
      }),
    );
  ofWebhook('test', 'send a test change').action(
    serviceAction(async (connection, webhookId: string, { environment }: Options) => {
      const answer = await connection.client(WebhookService).testWebhook({ environment, webhookId });
      print(describeDelivery(answer.delivery!));
    }),
  );
  ofWebhook('replay', 'send changes again')
    .option('--after <cursor>', 'cursor of a change (default: all that are kept)')
    .action(
      serviceAction(async (connection, webhookId: string, options: Options & { after?: string }) => {
        const { environment, after } = options;
        await connection.client(WebhookService).replayWebhook({ environment, webhookId, after });
        print(`${webhookId} sends its changes again.`);
      }),
    );
  ofWebhook('deliveries', 'list the last attempts, newest first').action(
    serviceAction(async (connection, webhookId: string, { environment }: Options) => {
      const service = connection.client(WebhookService);
      const { deliveries } = await service.listWebhookDeliveries({ environment, webhookId });
      for (const delivery of deliveries) print(describeDelivery(delivery));
    }),
  );
}

async function createWebhook(connection: Connection, url: string, options: CreateOptions): Promise<void> {
  const { environment, kinds = '', description } = options;
  const webhook = { url, kinds: splitList(kinds), description };
  const created = await connection.client(WebhookService).createWebhook({ environment, webhook });
  print(`webhook  ${created.webhook!.webhookId}`);
  print(`secret   ${created.secret}`);
}

const stateName = (state: WebhookState) => WebhookState[state].toLowerCase();

async function updateWebhook(
  connection: Connection,
  webhookId: string,
  options: UpdateOptions,
): Promise<void> {
  const { environment, receiver, kinds, description, state } = options;
  const service = connection.client(WebhookService);
  const { webhook } = await service.getWebhook({ environment, webhookId });
  const { state: known, ...current } = webhook!;
  const changed = {
    url: receiver ?? current.url,
    kinds: kinds === undefined ? current.kinds : kinds === 'all' ? [] : splitList(kinds),
    description: description ?? current.description,
    state: (state ?? stateName(known)) === 'disabled' ? WebhookState.DISABLED : WebhookState.ACTIVE,
  };
  await service.updateWebhook({ environment, webhookId, webhook: changed });
  print(`${webhookId} is updated.`);
}

async function listWebhooks(connection: Connection, { environment }: Options): Promise<void> {
  const service = connection.client(WebhookService);
  const rows: string[][] = [];
  const list = (pageToken: string) => service.listWebhooks({ environment, pageToken });
  for await (const { webhookId, state, url, kinds } of readAll('webhooks', list))
    rows.push([webhookId, stateName(state), url, kinds.join(', ') || 'all']);
  process.stdout.write(formatTable(['webhook', 'state', 'url', 'kinds'], rows));
}

function describeDelivery({ attemptTime, status, durationMs, ...delivery }: WebhookDelivery): string {
  const { kind, changeId, error } = delivery;
  const outcome = `${status ?? 'no answer'}`;
  return joinParts([momentOf(attemptTime), kind, changeId, outcome, `${durationMs} ms`, error]);
}
