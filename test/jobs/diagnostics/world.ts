/** A shop with a clean log of every event type, to plant faults in. */

import type { ExecutionContext } from 'ava';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { createDoctor, type Diagnosis, type DiagnosisRequest } from '../../../src/jobs/diagnostics/doctor.ts';
import { newAnswerId } from '../../../src/ranking/lists/answer-id.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { upsertItems } from '../../../src/repository/items/items.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { commitEvents } from '../../support/events.ts';

const deployment = parseDeployment(
  `
environments:
  - name: shop
    item_types: [ { name: product }, { name: article } ]
    page_types: { values: [home, detail] }
    channels: { values: [web] }
    list_names: { values: [top, results] }
`,
  'shop.yaml',
);

export type Shop = {
  db: TestDatabase;
  /** Stores events, by default with the current time. */
  send(...events: Partial<EventRow>[]): Promise<void>;
  diagnose(request?: Partial<DiagnosisRequest>): Promise<Diagnosis>;
};

/** Long enough for a busy machine. */
const patienceMs = 600_000;

const itemCount = 20;
const visitorCount = 40;

/** An empty log over twenty products. */
export async function openShop(t: ExecutionContext): Promise<Shop> {
  const db = await createTestDatabase(t);
  const products = Array.from({ length: itemCount }, (_, i) => ({
    environment: 'shop',
    itemType: 'product',
    itemId: `p${i}`,
    document: { title: `Product ${i}` },
  }));
  await upsertItems(db, products);
  return {
    db,
    async send(...events) {
      await commitEvents(db, events.map(complete));
    },
    diagnose(request = {}) {
      const settings = deployment.environments.get('shop')!;
      const doctor = createDoctor({ db, clock: Date.now, patienceMs });
      return doctor.diagnose({ settings, itemCount, windowHours: 24, staleAfterHours: 24, ...request });
    },
  };
}

let eventCount = 0;

/** Its details are unique, so that it is no duplicate. */
export function complete(event: Partial<EventRow>): EventRow {
  eventCount += 1;
  return {
    environment: 'shop',
    eventType: 'detail_pageview',
    occurredAtMs: Date.now(),
    robot: false,
    pageType: 'detail',
    channel: 'web',
    details: { number: eventCount },
    ...event,
  };
}

const onItems = [
  'detail_pageview',
  'item_interaction',
  'add_to_cart',
  'remove_from_cart',
  'purchase',
  'checkpoint',
];

const shown = ['', 'batch_', 'search_', 'session_'];

/** One event of each type in the priority table, of one visitor. */
function visitOf(visitor: number): Partial<EventRow>[] {
  const person = { deviceId: `d${visitor}`, userId: `u${visitor}` };
  const item = { itemType: 'product', itemId: `p${visitor % itemCount}` };
  const answer = {
    requestId: newAnswerId(),
    listName: 'top',
    userGroup: 'recommender',
    pageType: 'home',
  };
  const group = { itemType: 'group', itemId: 'chairs' };
  return [
    ...onItems.map((eventType) => ({ ...person, ...item, eventType })),
    ...['group_pageview', 'group_interaction'].map((eventType) => ({ ...person, ...group, eventType })),
    ...['page_visit', 'batch_open'].map((eventType) => ({ ...person, eventType, pageType: 'home' })),
    ...shown.map((family) => ({ ...person, ...item, ...answer, eventType: `${family}impression` })),
    ...shown.map((family) => ({
      ...person,
      ...item,
      ...answer,
      eventType: `${family}click_on_recommendation`,
    })),
  ];
}

export function cleanLog(): Partial<EventRow>[] {
  return Array.from({ length: visitorCount }, (_, visitor) => visitOf(visitor)).flat();
}
