/**
 * `node test/bench/lists.ts [--rounds N] [--people N] [--items N] [--events N] [--users N] [--json]`: measures the CPU
 * time of a list in process, for the users of the generated shop with the longest histories. `--visitors site` takes the
 * visitors of a site (site.ts), or `stranger`, `short` or `long` one kind of them. The clock advances by `--rate` requests per
 * second, with `--writes` writes of items per second.
 *
 * `--threads 0,1,2` measures the lists that so many threads make in `--seconds`, and their cost.
 *
 * `ratio` is relative to a fixed loop of random reads in the same round, which removes most of the effect of other work on the
 * machine. The first round is separate: its code is still being compiled.
 */

import { parseArgs } from 'node:util';
import { RecommendationRequestSchema } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';
import { decodeJson } from '../../src/formats/codec.ts';
import { parseStored } from '../../src/handlers/grammar/parse-stored.ts';
import { toRequest } from '../../src/handlers/recommendations/recommendation-request.ts';
import { createCatalog } from '../../src/ranking/catalog/catalog.ts';
import {
  createServingEnvironment,
  type ServingEnvironment,
} from '../../src/ranking/environment/serving-environment.ts';
import { createServingModels } from '../../src/ranking/environment/serving-models.ts';
import type { ListIngredients } from '../../src/ranking/lists/list-ingredients.ts';
import { createListMaker } from '../../src/ranking/lists/list-maker.ts';
import { identify } from '../../src/ranking/lists/person/identify.ts';
import { createStringTable } from '../../src/ranking/models/arrays/string-table.ts';
import { packModels } from '../../src/ranking/models/artefact.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../../src/ranking/models/features.ts';
import { createInteractionsBuilder } from '../../src/ranking/models/interactions.ts';
import { contentOf } from '../../src/ranking/models/item-content.ts';
import { createItemKeys } from '../../src/ranking/models/item-keys.ts';
import { trainPortfolio } from '../../src/ranking/models/portfolio.ts';
import { measureListThreads, type ThreadsMeasured } from './list-threads.ts';
import { visitorKinds } from './site.ts';
import { shopOptions, shopSizeOf } from './sizes.ts';
import { configurations, createWorld, deploymentYaml, environment, visitorOf } from './world.ts';

/** End of the generated month, Unix seconds; a constant. */
const nowSeconds = 1_790_000_000;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    people: { type: 'string', default: '150' },
    visitors: { type: 'string', default: 'longest' },
    rate: { type: 'string', default: '2000' },
    writes: { type: 'string', default: '0' },
    threads: { type: 'string' },
    seconds: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    ...shopOptions,
  },
});

const size = shopSizeOf(values);
const world = createWorld('lists', nowSeconds, size);
const deployment = parseDeployment(deploymentYaml, 'bench.yaml');
const events = Array.from({ length: size.events }, () => world.pastEvent() as PastEvent);
const trained = train();
const filledEnvironment = await createFilledEnvironment();
const makings = createIngredients(filledEnvironment);
const makeLists = createListMaker();

function fillCatalog() {
  const { itemTypes, properties } = deployment.environments.get(environment)!;
  const filled = createCatalog({ itemTypes: [...itemTypes.keys()], properties: [...properties.values()] });
  for (let index = 0; index < size.items; index++) {
    const document = world.item(index);
    const itemId = document.item_id as string;
    filled.apply({ itemType: 'product', itemId, document, enabled: true, revision: 1 });
  }
  return filled;
}

type PastEvent = {
  user_id: string;
  event_type: string;
  action_item: string;
  page_type: string;
  channel: string;
  timestamp: number;
};

async function createFilledEnvironment(): Promise<ServingEnvironment> {
  const filled = createServingEnvironment(deployment.environments.get(environment)!, fillCatalog());
  filled.models = await createServingModels(trained, filled.catalog, filled.settings);
  return filled;
}

/** All models with their defaults. */
function train(): SharedArrayBuffer {
  const itemKeys = createItemKeys();
  const features = createFeatureMatrixBuilder();
  for (let index = 0; index < size.items; index++) {
    const item = world.item(index);
    features.add(itemKeys.intern('product', item.item_id as string), featuresOf(contentOf(item)));
  }
  const builder = createInteractionsBuilder({ itemKeys });
  for (const event of events) {
    builder.add({
      subjectKey: event.user_id,
      itemId: event.action_item,
      itemType: 'product',
      eventType: event.event_type,
      timeSeconds: event.timestamp,
      pageType: event.page_type,
      channel: event.channel,
    });
  }
  const tables = trainPortfolio({
    interactions: builder.finish(),
    features: features.finish(size.items),
    nowSeconds,
  });
  const fallbackOrder = Int32Array.from({ length: size.items }, (_, local) => local);
  return packModels({ itemKeys: createStringTable(itemKeys.keys), ...tables, fallbackOrder });
}

type Asked = { userId: string; request: Record<string, unknown> };

function whatIsAsked(byUser: ReadonlyMap<string, PastEvent[]>): Asked[] {
  const count = Number(values.people);
  if (values.visitors === 'longest') {
    const busiest = [...byUser].sort(([, a], [, b]) => b.length - a.length).slice(0, count);
    return busiest.map(([userId]) => ({
      userId,
      request: { ...world.recommendation(), user_id: userId },
    }));
  }
  const kind = visitorKinds.find((one) => one === values.visitors);
  return Array.from({ length: count }, () => {
    const { user, request } = world.site.visit(kind);
    return { userId: visitorOf(user).user_id, request };
  });
}

function createIngredients(served: ServingEnvironment): ListIngredients[] {
  const byUser = Map.groupBy(events, ({ user_id: userId }) => userId);
  const parsed = new Map(configurations.map((one) => [one.configuration_id, parseStored(one)]));
  const actives = new Map(Array.from(parsed, ([id, one]) => [id, { version: 1, ...one }]));
  return whatIsAsked(byUser).map(({ userId, request: json }, place): ListIngredients => {
    const { message } = decodeJson(RecommendationRequestSchema, json);
    const request = toRequest(served.settings, message, {}, false);
    return {
      request,
      environment: served,
      identity: identify(request, served.settings),
      active: request.lists.map(({ configurationId }) => actives.get(configurationId)!),
      history: { entries: toEntries(byUser.get(userId) ?? []), impressions: [], consumed: [] },
      requestId: `request-${place}`,
      nowMs: nowSeconds * 1000,
    };
  });
}

function toEntries(done: readonly PastEvent[]) {
  const newestFirst = done.toSorted((a, b) => b.timestamp - a.timestamp);
  return newestFirst.map((event) => ({
    eventType: event.event_type,
    itemType: 'product',
    itemId: event.action_item,
    occurredAtSeconds: event.timestamp,
  }));
}

/** 4 MB, like the data that a request reads at random. */
const places = new Int32Array(2 ** 20).map((_, at) => (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 12);

/** The fixed loop. */
function readAround(): number {
  let at = 0;
  for (let step = 0; step < 1_000_000; step++) at = places[(at + step) & (places.length - 1)];
  return at;
}

function cpuMicroseconds(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

let requestCount = 0;
let writeCount = 0;

/** Writes the items that are due at the time of a request, unchanged. */
function writeItems({ nowMs, environment: { catalog } }: ListIngredients): void {
  for (const due = (nowMs / 1000 - nowSeconds) * Number(values.writes); writeCount < due; writeCount++) {
    const document = world.item(writeCount % size.items);
    const itemId = document.item_id as string;
    catalog.apply({ itemType: 'product', itemId, document, enabled: true, revision: 2 + writeCount });
  }
}

function measureRound() {
  const reference = cpuMicroseconds(readAround);
  const all = cpuMicroseconds(() => {
    for (const making of makings) {
      making.nowMs = nowSeconds * 1000 + (requestCount++ * 1000) / Number(values.rate);
      writeItems(making);
      makeLists(making);
    }
  });
  return { microseconds: all / makings.length, ratio: all / makings.length / reference };
}

const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

function measureRounds() {
  const rounds = Array.from({ length: Math.max(2, Number(values.rounds)) }, measureRound);
  const [first, ...others] = rounds;
  const entryCount = makings.reduce((sum, { history }) => sum + history!.entries.length, 0);
  return {
    requests: makings.length,
    history_entries: Math.round(entryCount / makings.length),
    first_us: Math.round(first.microseconds),
    median_us: Math.round(median(others.map(({ microseconds }) => microseconds))),
    least_us: Math.round(Math.min(...others.map(({ microseconds }) => microseconds))),
    ratio: Number(median(others.map(({ ratio }) => ratio)).toFixed(4)),
  };
}

/** One after the other: in parallel they would share the cores. */
async function measureThreads(counts: number[]): Promise<ThreadsMeasured[]> {
  const durationMs = Number(values.seconds) * 1_000;
  const measured: ThreadsMeasured[] = [];
  for (const count of counts)
    measured.push(
      await measureListThreads(count, {
        environment: filledEnvironment,
        buffer: trained,
        makings,
        durationMs,
      }),
    );
  return measured;
}

const result =
  values.threads === undefined
    ? measureRounds()
    : await measureThreads(values.threads.split(',').map(Number));
if (values.json) console.log(JSON.stringify(result));
else console.table(result);
