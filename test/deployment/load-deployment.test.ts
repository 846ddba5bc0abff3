import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createDemoDeployment } from '../../src/deployment/demo/deployment.ts';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';

const provider = 'client_id: c, client_secret_env: NOT_SET, name: Example';
const smallest = `
environments:
  - name: shop
    item_types: [ { name: product } ]
`;

/** Returns a file with a schedule, each of its lists on a line of its own from line 14. */
const nightly = (...lists: string[]) => `environments:
  - name: a
    item_types: [{ name: b, properties: [{ name: cost, type: number }] }]
    page_types: { values: [email], on_unknown: reject }
    list_names: { values: [d, e], on_unknown: reject }
    batches:
      schedules:
        - name: mail
          times: ["03:30"]
          batch:
            active_within_days: 30
            page_type: email
            lists:
${lists.map((list) => `              - ${list}`).join('\n')}
`;

const complete = `
base_path: /personal/v1
server: { port: 0, grpc_port: 0, tls: { certificate: cert.pem, key: /keys/key.pem }, cors_origins: ["https://shop.example"] }
authentication: { public_operations: [recommendations, searches], token_lifetime_seconds: 3600 }
environments:
  - name: shop
    default_language: nl
    item_types:
      - name: product
        reconsumable: true
        half_life_hours: 720
        properties:
          - { name: brand, type: string, filterable: true, returnable: true, searchable: { weight: 2 } }
          - { name: price, type: number, filterable: true }
          - { name: in_stock, type: boolean, filterable: true, required: true }
    filter_fields: [categories, language, brand, price, in_stock]
    information_field: brand
    currency: EUR
    time_zone: Europe/Berlin
    integration_types: [email, push_notification_app]
    page_types: { values: [home, overview, detail, checkout], on_unknown: warn }
    synonyms: [ { words: [sofa, couch] }, { from: [tv], to: [television] } ]
    user_groups: [ { name: recommender, share: 90 }, { name: control, share: 10, lists: empty } ]
    versions: [ { name: A, share: 50 }, { name: B, share: 50, models: { session_knn: 0 } } ]
    event_weights: { purchase: 8, detail_pageview: 0.5 }
    attribution_window_hours: 168
    list_lifetime_minutes: 45
    completions_limit: 5
    timeout_ms: 800
    training: { new_events: 500, interval_minutes: 120, times: [03:30, "23:00"] }
`;

test('the schedule of trainings is read, with its defaults', (t) => {
  const trainingOf = (yaml: string) => parseDeployment(yaml, 'x.yaml').environments.get('shop')!.training;
  const usual = { newEvents: undefined, changedItems: undefined, intervalMinutes: 60, restFactor: 10 };
  t.deepEqual(trainingOf(smallest), { ...usual, timesOfDay: [], timeZone: 'UTC' });
  const set = { newEvents: 500, intervalMinutes: 120, timesOfDay: [210, 1_380], timeZone: 'Europe/Berlin' };
  t.deepEqual(trainingOf(complete), { ...usual, ...set });
});

test('the smallest file has every default', (t) => {
  const { basePath, server, authentication, environments, demo } = parseDeployment(smallest, 'x.yaml');
  t.is(basePath, '/api');
  t.deepEqual(server, {
    port: 8080,
    grpcPort: 50051,
    host: undefined,
    tls: undefined,
    corsOrigins: [],
    adminPort: undefined,
    adminHost: '127.0.0.1',
    trustedProxies: [],
    connectionsPerPeer: 4096,
    idleTimeoutMs: 130_000,
  });
  t.deepEqual([...authentication.publicOperations], ['recommendations', 'searches']);
  t.is(authentication.tokenLifetimeSeconds, 86_400);
  t.false(demo);
  const shop = environments.get('shop')!;
  t.is(shop.defaultLanguage, 'en');
  t.is(shop.timeZone, 'UTC');
  t.is(shop.attributionWindowHours, 24);
  t.is(shop.listLifetimeMinutes, 30);
  t.is(shop.completionsLimit, 10);
  t.is(shop.timeoutMs, 500);
  t.is(shop.salt, 'shop');
  t.false(shop.itemTypes.get('product')!.reconsumable);
});

test('every declared setting is read', (t) => {
  const { basePath, server, environments } = parseDeployment(complete, '/etc/personalisation/shop.yaml');
  t.is(basePath, '/personal/v1');
  t.is(server.port, 0);
  t.deepEqual(server.tls, { certificate: join('/etc/personalisation', 'cert.pem'), key: '/keys/key.pem' });
  const shop = environments.get('shop')!;
  t.is(shop.properties.get('brand')!.searchWeight, 2);
  t.true(shop.properties.get('in_stock')!.required);
  t.is(shop.itemTypes.get('product')!.halfLifeHours, 720);
  t.is(shop.pageTypes!.onUnknown, 'warn');
  t.deepEqual(shop.synonyms[1], { from: ['tv'], to: ['television'] });
  t.deepEqual(shop.userGroups, [
    { name: 'recommender', share: 90, lists: 'recommended' },
    { name: 'control', share: 10, lists: 'empty' },
  ]);
  t.is(shop.versions[1].models.get('session_knn'), 0);
  t.is(shop.currency, 'EUR');
  t.is(shop.listLifetimeMinutes, 45);
  t.is(shop.timeoutMs, 800);
  t.deepEqual(shop.eventWeights, { purchase: 8, detail_pageview: 0.5 });
});

test('a property must be returnable in all item types to be the information field', (t) => {
  const read = (first: string, second: string) =>
    parseDeployment(
      `environments:
        - name: e
          information_field: cost
          item_types:
            - { name: a, properties: [{ name: cost, type: number, returnable: ${first} }] }
            - { name: b, properties: [{ name: cost, type: number, returnable: ${second} }] }`,
      'x.yaml',
    );
  t.is(read('true', 'true').environments.get('e')!.informationField, 'cost');
  for (const [first, second] of [
    ['true', 'false'],
    ['false', 'true'],
  ])
    t.regex(t.throws(() => read(first, second))!.message, /returnable/);
});

test('a property searchable in one item type is searchable in all, in any order', (t) => {
  const types = [
    '{ name: product, properties: [{ name: brand, type: string, filterable: true, searchable: { weight: 2 } }] }',
    '{ name: article, properties: [{ name: brand, type: string }] }',
  ];
  for (const inOrder of [types, types.toReversed()]) {
    const text = `environments: [ { name: e, item_types: [ ${inOrder.join(', ')} ] } ]`;
    const { filterFields, properties } = parseDeployment(text, 'x.yaml').environments.get('e')!;
    t.deepEqual([...filterFields], ['brand']);
    t.is(properties.get('brand')!.searchWeight, 2);
  }
});

test('the example in docs/deployment-file.md is a valid file', async (t) => {
  const text = await readFile(new URL('../../docs/deployment-file.md', import.meta.url), 'utf8');
  const example = /```yaml\n([\s\S]*?)```/.exec(text)![1];
  t.true(parseDeployment(example, 'docs.yaml').environments.has('shop'));
});

test('the demo is a valid deployment', (t) => {
  const { environments, demo } = createDemoDeployment();
  t.true(demo);
  t.deepEqual([...environments.get('demo')!.itemTypes.keys()], ['item', 'article', 'video']);
});

const consumption: [string, string, string[]][] = [
  ['an item type named product is consumed by purchase', '{ name: product }', ['purchase']],
  [
    'a type with a price is consumed by purchase',
    '{ name: thing, properties: [{ name: price, type: number }] }',
    ['purchase'],
  ],
  ['any other type is content', '{ name: article }', ['detail_pageview', 'checkpoint', 'purchase']],
  ['the file takes precedence', '{ name: product, consumed_by: [add_to_cart] }', ['add_to_cart']],
];

for (const [title, itemType, consumedBy] of consumption) {
  test(title, (t) => {
    const { environments } = parseDeployment(
      `environments: [{ name: e, item_types: [${itemType}] }]`,
      'x.yaml',
    );
    const [settings] = environments.get('e')!.itemTypes.values();
    t.deepEqual([...settings.consumedBy], consumedBy);
  });
}

const faults: [title: string, text: string, line: number, message: RegExp][] = [
  ['a file that is no YAML', 'environments: [', 1, /./],
  ['an unknown field', 'base_pth: /x\nenvironments: [{ name: a, item_types: [{ name: b }] }]', 1, /base_pth/],
  ['no environment', 'base_path: /x', 1, /environments/],
  ['an environment without a name', 'environments:\n  - item_types: [{ name: b }]', 2, /name/],
  ['an environment without item types', 'environments:\n  - name: a', 2, /item_types/],
  [
    'a duplicate environment',
    `${smallest}  - { name: shop, item_types: [{ name: p }] }`,
    5,
    /Duplicate name "shop"/,
  ],
  [
    'an environment with the name of a path',
    'environments:\n  - name: metrics\n    item_types: [{ name: b }]',
    2,
    /another path/,
  ],
  [
    'an environment name with a leading sign',
    'environments:\n  - name: _shop\n    item_types: [{ name: b }]',
    2,
    /the first a letter or a digit/,
  ],
  [
    'an unknown property type',
    'environments:\n  - name: a\n    item_types:\n      - name: b\n        properties:\n          - { name: c, type: strng }',
    6,
    /string/,
  ],
  [
    'a property with the name of a field of Item',
    'environments:\n  - name: a\n    item_types:\n      - name: b\n        properties:\n          - { name: title, type: string }',
    6,
    /field of Item/,
  ],
  [
    'one property with two types',
    'environments:\n  - name: a\n    item_types:\n      - { name: b, properties: [{ name: c, type: string }] }\n      - { name: d, properties: [{ name: c, type: number }] }',
    4,
    /type number in d and string/,
  ],
  [
    'an undeclared filter field',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    filter_fields: [color]',
    4,
    /declared property/,
  ],
  [
    'shares that are all zero',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    versions: [{ name: x, share: 0 }]',
    4,
    /shares/,
  ],
  [
    'a version of a model that does not exist',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    versions:\n      - { name: x, share: 1 }\n      - { name: y, share: 1, models: { covisits: 0 } }',
    6,
    /models\/covisits: Must be one of: co_visits, .*new_items/,
  ],
  [
    'a version with a negative factor of a model',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    versions: [{ name: x, share: 1, models: { ials: -1 } }]',
    4,
    /models\/ials: Must be a number from 0/,
  ],
  [
    'a property that is searched without a weight',
    'environments:\n  - name: a\n    item_types:\n      - name: b\n        properties: [{ name: c, type: string, searchable: { weight: 0 } }]',
    5,
    /searchable\/weight: Must be above 0/,
  ],
  [
    'a synonym both ways and one way',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    synonyms: [{ words: [sofa, couch], from: [settee] }]',
    4,
    /either words, or from and to/,
  ],
  [
    'an event type that does not exist',
    'environments:\n  - name: a\n    item_types:\n      - { name: b, consumed_by: [looking] }',
    4,
    /event type/,
  ],
  [
    'a group order by a text property',
    'environments:\n  - name: a\n    item_types:\n      - { name: b, group_order: [title] }',
    4,
    /number/,
  ],
  [
    'an unknown page purpose',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    page_purposes: { home: please }',
    4,
    /complete_basket/,
  ],
  [
    'a weight of an event type that does not exist',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    event_weights: { looking: 1 }',
    4,
    /event type/,
  ],
  [
    'an event weight that is too large',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    event_weights: { purchase: 11 }',
    4,
    /from -10 to 10/,
  ],
  [
    'a positive weight of an impression',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    event_weights: { impression: 1 }',
    4,
    /from -10 to 0/,
  ],
  [
    'a training at an invalid time of day',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    training: { times: ["24:00"] }',
    4,
    /time of day/,
  ],
  [
    'a training after 0 events',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    training: { new_events: 0 }',
    4,
    /at least 1|from 1/,
  ],
  [
    'an unknown currency',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    currency: eur',
    4,
    /capital letters: EUR/,
  ],
  [
    'an unknown time zone',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    time_zone: Berlin',
    4,
    /IANA name of a time zone: Europe\/Berlin/,
  ],
  [
    'an offset as a time zone',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    time_zone: "+01:00"',
    4,
    /IANA name of a time zone/,
  ],
  [
    'the name of a language as default language',
    'environments:\n  - name: a\n    item_types: [{ name: b }]\n    default_language: german',
    4,
    /tag of a language: de/,
  ],
  ['a base path without a slash', `base_path: api${smallest}`, 1, /begin with/],
  ['a base path where the console is', `base_path: /console${smallest}`, 1, /path of the service itself/],
  ['a base path below the console', `base_path: /console/api${smallest}`, 1, /path of the service itself/],
  ['a base path where balancers ask', `base_path: /healthz${smallest}`, 1, /path of the service itself/],
  ['a base path where keys are', `base_path: /.well-known/api${smallest}`, 1, /path of the service itself/],
  [
    'a base path where rpcs are',
    `base_path: /personalisation.v1.ItemService${smallest}`,
    1,
    /path of the service itself/,
  ],
  [
    'products of an unknown environment',
    `agents: { shopping: { environment: shoe, url: "https://shop.example", configuration_id: c } }${smallest}`,
    1,
    /agents\/shopping\/environment: Must be the name/,
  ],
  [
    'products without a currency',
    `agents: { shopping: { environment: shop, url: "https://shop.example", configuration_id: c } }${smallest}`,
    1,
    /agents\/shopping\/environment: .*currency/,
  ],
  [
    'products without a price',
    `agents: { shopping: { environment: shop, url: "https://shop.example", configuration_id: c } }${smallest}    currency: EUR`,
    1,
    /agents\/shopping\/price_property: .*returnable number/,
  ],
  [
    'agents at no address',
    `agents: { shopping: { environment: shop, url: shop.example, configuration_id: c } }${smallest}`,
    1,
    /agents\/shopping\/url: Must be an address/,
  ],
  ['a broker without a port', `kafka: { brokers: [kafka.example] }${smallest}`, 1, /brokers\/0: .*port/],
  [
    'a topic of an unknown environment',
    `kafka: { brokers: ["k:1"], topics: [{ topic: t, environment: shoe, kind: events }] }${smallest}`,
    1,
    /topics\/0\/environment: Must be the name/,
  ],
  [
    'a topic that is read twice',
    `kafka: { brokers: ["k:1"], topics: [{ topic: t, environment: shop, kind: events }, { topic: t, environment: shop, kind: items }] }${smallest}`,
    1,
    /topics\/1\/topic: Duplicate name "t"\./,
  ],
  [
    'events as changes of rows',
    `kafka: { brokers: ["k:1"], topics: [{ topic: t, environment: shop, kind: events, format: debezium }] }${smallest}`,
    1,
    /topics\/0\/format: Only items/,
  ],
  [
    'a certificate without its key',
    `kafka: { brokers: ["k:1"], tls: { certificate: c.pem } }${smallest}`,
    1,
    /kafka\/tls: .*both/,
  ],
  [
    'a mapping of a table that is wrong',
    `${smallest}    changed_tables: [{ table: t, mapping: { items: { title: name } } }]`,
    5,
    /changed_tables\/0\/mapping: .*item_id.*Is required/,
  ],
  [
    'pages at no origin',
    `server: { cors_origins: [shop.example] }${smallest}`,
    1,
    /cors_origins\/0: .* https:/,
  ],
  ['pages of many hosts', `server: { cors_origins: ["https://*.b.c"] }${smallest}`, 1, /cors_origins\/0/],
  ['pages below an origin', `server: { cors_origins: ["https://a.b/c"] }${smallest}`, 1, /cors_origins\/0/],
  ['a number instead of text', 'environments:\n  - name: 5\n    item_types: [{ name: b }]', 2, /string/],
  [
    'a field of a nightly batch that is not returned',
    `${nightly('{ configuration_id: c, list_name: d, list_size: 1 }')}            fields: [title, cost]`,
    15,
    /batch\/fields\/1/,
  ],
  [
    'two lists of a scheduled batch with the same name',
    nightly(
      '{ configuration_id: c, list_name: d, list_size: 1 }',
      '{ configuration_id: c, list_name: d, list_size: 1 }',
    ),
    15,
    /batch\/lists\/1\/list_name: Duplicate name "d"\./,
  ],
  [
    'an item with a rank beyond its list in a scheduled batch',
    nightly('{ configuration_id: c, list_name: d, list_size: 1, list_content: [{ item_id: e, rank: 2 }] }'),
    14,
    /batch\/lists\/0\/list_content\/0\/rank: Must not be above list_size\./,
  ],
  [
    'a nightly batch of too many items',
    nightly(
      '{ configuration_id: c, list_name: d, list_size: 500 }',
      '{ configuration_id: c, list_name: e, list_size: 501 }',
    ),
    14,
    /batch\/lists: Must be of at most 1000 items together\./,
  ],
  [
    'a page of a nightly batch that is not registered',
    nightly('{ configuration_id: c, list_name: d, list_size: 1 }').replace('page_type: e', 'page_type: g'),
    12,
    /batch\/page_type: "gmail" is not registered\./,
  ],
  [
    'a list of a nightly batch that is not registered',
    nightly('{ configuration_id: c, list_name: f, list_size: 1 }'),
    14,
    /batch\/lists\/0\/list_name: "f" is not registered\./,
  ],
  [
    'keys of an issuer at no address',
    `authentication: { issuer: { name: a, jwks_uri: login.example/jwks.json } }${smallest}`,
    1,
    /issuer\/jwks_uri: Must be an address like https:/,
  ],
  [
    'a provider without TLS',
    `sign_in: { oidc: { ${provider}, issuer: "http://login.example" } }${smallest}`,
    1,
    /oidc\/issuer: Must be an address with https/,
  ],
  [
    'a provider without the secret of its client',
    `sign_in: { oidc: { ${provider}, issuer: "https://login.example" } }${smallest}`,
    1,
    /client_secret_env: Must name an environment variable/,
  ],
  [
    'a provider beside another issuer of tokens',
    `sign_in: { oidc: { ${provider}, issuer: "https://login.example" } }
authentication: { issuer: { name: a, jwks_uri: "https://login.example/jwks.json" } }${smallest}`,
    1,
    /sign_in\/oidc: Not allowed beside authentication\.issuer/,
  ],
  [
    'a public operation that does not exist',
    `authentication: { public_operations: [all] }${smallest}`,
    1,
    /one of/,
  ],
];

for (const [title, text, line, message] of faults) {
  test(`${title} is refused with its line`, (t) => {
    const error = t.throws(() => parseDeployment(text, 'x.yaml'));
    t.regex(error.message, new RegExp(`^x\\.yaml:${line}: `));
    t.regex(error.message, message);
  });
}

test('a base path may look like one of the service, and be the console of a service without', (t) => {
  for (const given of ['/consoles', '/health', '/api/console', '/personalisation'])
    t.is(parseDeployment(`base_path: ${given}${smallest}`, 'x.yaml').basePath, given);
  const { basePath } = parseDeployment(`base_path: /console\nconsole: false${smallest}`, 'x.yaml');
  t.is(basePath, '/console');
});

test('origins of pages are as browsers write them', (t) => {
  const given = [
    'https://Shop.example/',
    'https://shop.example:443',
    'http://localhost:3000',
    'capacitor://localhost',
    '*',
  ];
  const { server } = parseDeployment(
    `server: { cors_origins: ${JSON.stringify(given)} }${smallest}`,
    'x.yaml',
  );
  t.deepEqual(server.corsOrigins, [
    'https://shop.example',
    'https://shop.example',
    'http://localhost:3000',
    'capacitor://localhost',
    '*',
  ]);
});

test('traces need the address of a collector, and are complete unless a share is given', (t) => {
  const parse = (traces: string) =>
    parseDeployment(
      `telemetry: { traces: ${traces} }\nenvironments: [ { name: e, item_types: [ { name: i } ] } ]`,
      'd.yaml',
    ).traces;
  const endpoint = 'http://localhost:4318/v1/traces';
  t.deepEqual(parse(`{ endpoint: "${endpoint}" }`), { endpoint, share: 1 });
  t.deepEqual(parse(`{ endpoint: "${endpoint}", share: 0.1 }`), { endpoint, share: 0.1 });
  t.throws(() => parse('{ endpoint: localhost }'), { message: /d\.yaml:1: \/telemetry\/traces\/endpoint/ });
  t.throws(() => parse(`{ endpoint: "${endpoint}", share: 2 }`), { message: /share/ });
});

test('hundreds of environments may share an anchor', (t) => {
  const others = Array.from({ length: 300 }, (_, i) => `  - { name: shop${i}, item_types: *types }`);
  const { environments } = parseDeployment(
    ['environments:', '  - name: shop', '    item_types: &types [ { name: product } ]', ...others].join('\n'),
    'shop.yaml',
  );
  t.is(environments.size, 301);
  t.deepEqual([...environments.get('shop299')!.itemTypes.keys()], ['product']);
});

test('an alias without anchor is named with its line, and anchors that multiply each other are refused', (t) => {
  const stray = 'environments:\n  - name: shop\n    item_types: *types\n';
  t.throws(() => parseDeployment(stray, 'shop.yaml'), {
    message: 'shop.yaml:3: There is no anchor &types above.',
  });
  const tenfold = (name: string, of: string) => `${name}: &${name} [${`${of}, `.repeat(10)}]`;
  const lines = [
    tenfold('a', '1'),
    ...['ab', 'bc', 'cd', 'de', 'ef'].map(([of, name]) => tenfold(name, `*${of}`)),
  ];
  t.throws(() => parseDeployment(lines.join('\n'), 'shop.yaml'), { message: /^shop\.yaml: an anchor/ });
});
