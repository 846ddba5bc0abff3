/** Alerts by e-mail, with a real mail server. */

import test from 'ava';
import { SMTPServer } from 'smtp-server';
import { listAlerts, raiseAlert, resolveAlert } from '../../src/repository/alerts/alerts.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';

type Mail = { to: string[]; text: string };

/** Takes messages without sign-in, after it has refused the first one for now. */
async function startMailServer() {
  const mails: Mail[] = [];
  let refusals = 1;
  let arrived = Promise.withResolvers<void>();
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'] },
    onMailFrom: (_, __, done) =>
      done(refusals-- > 0 ? Object.assign(new Error('Try again later'), { responseCode: 451 }) : null),
    async onData(stream, { envelope }, done) {
      const chunks = await stream.toArray();
      mails.push({
        to: envelope.rcptTo.map(({ address }) => address),
        text: Buffer.concat(chunks).toString(),
      });
      done();
      arrived.resolve();
      arrived = Promise.withResolvers();
    },
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', () => listening.resolve());
  await listening.promise;
  const address = server.server.address() as { port: number };
  const until = async (count: number) => {
    while (mails.length < count) await arrived.promise;
    return mails;
  };
  return { port: address.port, until, server };
}

test('alerts are sent by e-mail, and again after a failure', async (t) => {
  const { port, until, server } = await startMailServer();
  t.teardown(() => server.close());
  const service = await startTestService(
    t,
    `
alerts: { smtp: { host: 127.0.0.1, port: ${port}, from: alerts@shop.example, to: [ops@shop.example, buyers@shop.example] } }
environments:
  - { name: shop, item_types: [ { name: product } ] }
  - { name: news, item_types: [ { name: product } ] }
`,
  );
  const db = service.database;
  const deviation = { placement: 'home', metric: 'fill', fromHour: 1, usedHour: 2 };
  await raiseAlert(db, 'shop', { ...deviation, expected: 0.98, observed: 0.5 }, new Date());
  const [raised] = await until(1);
  t.deepEqual(raised.to, ['ops@shop.example', 'buyers@shop.example']);
  t.regex(raised.text, /^Subject: \[shop\] Alert: fill of home\r$/m);
  t.regex(raised.text, /Usual value: 0\.98\r\nObserved value: 0\.5\r\n/);
  const [alert] = await listAlerts(db, { environment: 'shop' }, 1);
  await resolveAlert(db, 'shop', alert, new Date());
  const [, resolved] = await until(2);
  t.regex(resolved.text, /^Subject: \[shop\] Resolved: fill of home\r$/m);

  const http = createJsonClient(service);
  const given = { file_name: 'items.csv', format: 'csv', columns: ['item_id'] };
  const made = await http.post<{ import_id: string }>('/shop/imports', given);
  const path = `/shop/imports/${made.body.import_id}`;
  await http.post(`${path}/parts`, { part: 0, content: 'item_id\n1\n' });
  await http.post(`${path}/starts`, { part_count: 1 });
  const [, , failed] = await until(3);
  t.regex(failed.text, /^Subject: \[shop\] Alert: import of items\.csv\r$/m);
  t.regex(failed.text, /File: items\.csv\r\nRejected records: 1\r\n/);
  type Hooks = { webhooks: { webhook_id: string; url: string }[] };
  const { webhooks } = (await http.get<Hooks>('/shop/webhooks')).body;
  t.deepEqual(
    webhooks.map(({ url }) => url),
    ['mailto:ops@shop.example,buyers@shop.example'],
  );
  type Deliveries = { deliveries: { error: string }[] };
  const at = `/shop/webhooks/${webhooks[0].webhook_id}/deliveries`;
  const { deliveries } = (await http.get<Deliveries>(at)).body;
  t.regex(deliveries.at(-1)!.error, /Try again later/);
});
