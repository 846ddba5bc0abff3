/** Alerts over HTTP and on the command line. */

import test from 'ava';
import { type Deviation, listAlerts, raiseAlert, resolveAlert } from '../../src/repository/alerts/alerts.ts';
import { runAgainst } from '../cli/support/command.ts';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - { name: shop, item_types: [ { name: product } ] }
  - { name: news, item_types: [ { name: product } ] }
`);
const http = createJsonClient(service);

const deviation = (placement: string): Deviation => ({
  ...{ placement, metric: 'fill', fromHour: 494_400, usedHour: 494_410, expected: 1, observed: 0.5 },
});

type Listed = { alerts: { placement: string; resolve_time?: string }[]; next_page_token: string };

test('alerts are listed by environment, newest first, open or resolved, in pages', async (t) => {
  const db = service.database;
  const at = (minute: number) => new Date(Date.UTC(2026, 4, 28, 11, minute));
  await raiseAlert(db, 'news', deviation('elsewhere'), at(0));
  for (const [i, placement] of ['home', 'basket', 'detail'].entries())
    await raiseAlert(db, 'shop', deviation(placement), at(i));
  await raiseAlert(db, 'shop', deviation('home'), at(5));
  const [newest] = await listAlerts(db, { environment: 'shop' }, 1);
  await resolveAlert(db, 'shop', newest, at(9));

  const read = async (parameters = '') => (await http.get<Listed>(`/shop/alerts${parameters}`)).body;
  const placements = ({ alerts }: Listed) => alerts.map(({ placement }) => placement);
  const first = await read('?page_size=2');
  t.deepEqual(placements(first), ['detail', 'basket']);
  t.deepEqual(placements(await read(`?page_size=2&page_token=${first.next_page_token}`)), ['home']);
  t.deepEqual(placements(await read('?open=true')), ['basket', 'home']);
  t.like(await read('?open=false'), {
    alerts: [
      {
        ...{ placement: 'detail', metric: 'fill', expected: 1, observed: 0.5 },
        ...{ start_time: '2026-05-27T00:00:00Z', raise_time: '2026-05-28T11:02:00Z' },
        resolve_time: '2026-05-28T11:09:00Z',
      },
    ],
  });
  t.is((await http.get('/nowhere/alerts')).status, 404);

  const { stdout, stderr } = await runAgainst(service, 'alerts', 'list', '--environment', 'shop', '--open');
  t.regex(stdout, /placement.*\n.*\n?.*basket.*\n.*home/, stderr);
  t.notRegex(stdout, /detail/);
});
