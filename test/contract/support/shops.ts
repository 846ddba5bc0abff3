/** Small catalogues for tests of recommendations: one service, an environment for each test. */

import { randomUUID } from 'node:crypto';
import { type Answer, createJsonClient, type JsonClient } from '../../support/json-client.ts';
import { startTestService, type TestService } from '../../support/service.ts';

export type Document = Record<string, unknown>;

export type RecommendedItem = { item_id: string; rank: number; information_field?: string };

export type ResponseList = {
  configuration_id: string;
  list_name: string;
  list_key: string;
  list_size: number;
  limit: number;
  expires_at: string;
  items: RecommendedItem[];
};

export type Recommendations = {
  device_id: string;
  user_id?: string;
  request_id: string;
  user_group: string;
  version: string;
  lists: ResponseList[];
};

/** One environment, for a caller with all scopes. */
export type Shop = {
  environment: string;
  http: JsonClient;
  /** Stores items of a type; a text is an id. */
  stock(itemType: string, items: (string | Document)[]): Promise<void>;
  /** Stores a configuration and returns its id. */
  configure(configuration: Document): Promise<string>;
  /** The default is a new device on the home page. */
  ask(request: Document, headers?: Record<string, string>): Promise<Answer<Recommendations>>;
  /** Returns the ids of one list, by default for a new device. */
  list(list: Document, rest?: Document): Promise<string[]>;
  track(event: Document): Promise<void>;
  page(listKey: string, offset: number, limit: number): Promise<Answer<Recommendations>>;
};

export type Shops = {
  service: TestService;
  /** YAML of the deployment file, to start another node with. */
  deployment: string;
  /** Returns an unused environment. */
  open(): Shop;
  /** Returns an environment with its own settings. */
  openNamed(name: string): Shop;
  stop(): Promise<void>;
};

/**
 * In every environment looking consumes an article, buying a product and liking a toy, but nothing a video.
 * @param count Environments that `open` can hand out.
 * @param named Further settings, in YAML at the depth of an environment's fields, by environment.
 */
export async function startShops(count: number, named: Record<string, string> = {}): Promise<Shops> {
  const names = Array.from({ length: count }, (_, i) => `shop-${i}`);
  const environments = [...names.map((name) => [name, '']), ...Object.entries(named)].map(environmentYaml);
  const deployment = `environments:\n${environments.join('')}`;
  const service = await startTestService({ teardown: () => undefined }, deployment);
  return {
    service,
    deployment,
    open() {
      const name = names.pop();
      if (name === undefined) throw new Error('Ask for more environments.');
      return createShop(service, name);
    },
    openNamed: (name) => createShop(service, name),
    stop: service.stop,
  };
}

function environmentYaml([name, settings]: string[]): string {
  return `
  - name: ${name}
    information_field: brand
    item_types:
      - name: article
        properties: &properties
          - { name: brand, type: string, returnable: true }
          - { name: rating, type: number }
          - { name: released, type: datetime }
          - { name: colors, type: "string[]" }
      - { name: product, properties: *properties, consumed_by: [purchase] }
      - { name: toy, consumed_by: [item_interaction] }
      - { name: video, reconsumable: true }
${settings}`;
}

/** The same environment on another node. */
export function createShop(
  service: Pick<TestService, 'baseUrl' | 'authorization'>,
  environment: string,
): Shop {
  const http = createJsonClient(service);
  const ask: Shop['ask'] = (request, headers) =>
    http.post(
      `/${environment}/recommendations/requests`,
      { device_id: newDevice(), page_type: 'home', ...request },
      headers,
    );
  return {
    environment,
    http,
    ask,
    async stock(itemType, items) {
      for (const item of items) {
        const { item_id: id, ...document } = typeof item === 'string' ? { item_id: item } : item;
        const path = `/${environment}/items/${itemType}/${encodeURIComponent(String(id))}`;
        succeeded(await http.put(path, document));
      }
    },
    async configure(configuration) {
      const id = randomUUID();
      succeeded(await http.put(`/configurations/${id}`, configuration));
      return id;
    },
    async list(list, rest = {}) {
      const lists = [{ list_name: 'only', list_size: 100, ...list }];
      return idsOf(succeeded(await ask({ ...rest, lists })));
    },
    async track(event) {
      succeeded(await http.post(`/${environment}/events`, { events: [{ page_type: 'detail', ...event }] }));
    },
    page: (listKey, offset, limit) =>
      http.get(`/${environment}/recommendations/lists?list_key=${listKey}&offset=${offset}&limit=${limit}`),
  };
}

function succeeded<Body>(answer: Answer<Body>): Answer<Body> {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer;
}

export const newDevice = () => `device ${randomUUID()}`;

/** Ids of a list of the answer, in order. */
export function idsOf({ body }: Answer<Recommendations>, listIndex = 0): string[] {
  return body.lists[listIndex].items.map(({ item_id: id }) => id);
}

/** `a1` … `aN`. */
export function series(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);
}

/** A condition on one key. */
export const where = (key: string, value: unknown): Document => ({ key, match: { value } });
