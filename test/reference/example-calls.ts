/** The calls of the reference, in an order that works on the demo. */

import { TOTP } from 'otpauth';

export type ExampleCall = {
  /** Name of the rpc. */
  operation: string;
  parameters?: Record<string, string | number>;
  body?: unknown;
  /** Whether the invited person calls [the administrator]. */
  asPerson?: boolean;
  /** Repeats the call until the answer passes; for example, a batch changes with its progress. */
  until?: (answer: unknown) => boolean;
};

const isDone = (batch: unknown) => (batch as { state: string }).state === 'done';

const hasDeliveries = (answer: unknown) => (answer as { deliveries: unknown[] }).deliveries.length > 0;

/** Answers so far, by operation. */
export type ExampleAnswers = ReadonlyMap<string, unknown>;

type Credentials = { clientId: string; clientSecret: string };

const environment = 'demo';
const mug = { environment, item_type: 'item', item_id: 'enamel-mug-green' };
const mugDocument = {
  title: 'Enamel mug, green',
  description: 'Half a litre, for coffee on the way up and soup on the way down.',
  uri: 'https://shop.example/enamel-mug-green',
  language: 'en',
  categories: ['Shop/Cooking'],
  group_id: 'enamel-mug',
  images: ['https://shop.example/images/enamel-mug-green.jpg'],
  publication_datetime: '2026-03-01T08:00:00+01:00',
  brand: 'Northfield',
  price: 14.5,
  in_stock: true,
};
const shoes = {
  title: 'Summit trail shoes',
  language: 'en',
  categories: ['Shop/Hiking'],
  group_id: 'summit-trail-shoes',
  brand: 'Northfield',
  price: 129,
  in_stock: true,
};
const shoesOf = (colour: string) => ({
  operation: 'PutItem',
  parameters: { environment, item_type: 'item', item_id: `summit-trail-shoes-${colour}` },
  body: { ...shoes, title: `${shoes.title}, ${colour}` },
});
const spring = {
  constraints: [
    { query: { key: 'in_stock', match: true }, _constraint_explanation: 'Nothing that is sold out.' },
    { diversify: { key: 'brand' }, limit: { max: 2 } },
  ],
  preferences: [{ query: { key: 'price', lte: 50 }, weight: 2 }],
};
/** No name below `example` exists (RFC 2606). */
const hook = { url: 'https://hooks.shop.example/personalisation', kinds: ['items.changed'] };
const anna = { name: 'Anna Berg', email: 'anna@shop.example', roles: ['viewer:demo'] };
/** Of the invited person. */
export const password = 'correct horse battery';
const interest = { environment, interest_id: 'new-tents' };
const newTents = { filter: [{ key: 'brand', match: 'Northfield' }], items_per_user: 2 };
const trailWeeks = {
  preferences: [{ query: { key: 'brand', match: 'Northfield' } }],
  search: {
    environments: [environment],
    when: { queries: [{ contains: 'trail shoes' }] },
    pins: [{ item_id: 'summit-trail-shoes-blue', rank: 1 }],
    redirect: 'https://shop.example/trail-weeks',
    promoted_content: [
      { image: 'https://shop.example/images/trail-weeks.jpg', link: 'https://shop.example/trail-weeks' },
    ],
  },
};
const newHome = { environment, experiment_id: 'new-home' };
const newHomeDocument = {
  hypothesis: 'What was viewed last predicts the next click.',
  variants: [{ name: 'control' }, { name: 'sequences', models: { sequences: 2 } }],
  audience: { page_type: 'home' },
  metric: 'click_through_rate',
  guardrails: [{ metric: 'revenue', tolerated_loss: 0.05 }],
  ramp: [{ share: 0.05, hours: 24 }, { share: 0.25, hours: 48 }, { share: 1 }],
};
const visitor = { device_id: 'anna-phone', page_type: 'home' };

/** Calls that need no earlier answer. */
export function firstCalls({ clientId, clientSecret }: Credentials): ExampleCall[] {
  const credentials = { client_id: clientId, client_secret: clientSecret };
  return [
    { operation: 'CreateToken', body: { grant_type: 'client_credentials', ...credentials } },
    ...catalogueCalls(),
    ...servingCalls(),
    ...administrationCalls(),
  ];
}

function catalogueCalls(): ExampleCall[] {
  return [
    /** The reference shows the last call of an operation. */
    shoesOf('blue'),
    shoesOf('grey'),
    { operation: 'PutItem', parameters: mug, body: mugDocument },
    {
      operation: 'CreateItem',
      parameters: { environment, item_type: 'item' },
      body: {
        item_id: 'enamel-mug-blue',
        title: 'Enamel mug, blue',
        group_id: 'enamel-mug',
        price: 14.5,
      },
    },
    { operation: 'GetItem', parameters: mug },
    { operation: 'UpdateItem', parameters: mug, body: { price: 12.5, in_stock: null } },
    { operation: 'ListItems', parameters: { environment, text: 'enamel', page_size: 2 } },
    { operation: 'ListEnvironments' },
    { operation: 'DisableItem', parameters: mug },
    { operation: 'EnableItem', parameters: mug },
    { operation: 'DeleteItem', parameters: mug },
    {
      operation: 'ApplyItemChanges',
      parameters: { environment },
      body: [
        {
          op: 'c',
          after: { item_id: 'tin-mug', item_type: 'item', title: 'Tin mug' },
          source: { table: 'items' },
        },
      ],
    },
    { operation: 'CreateEvents', parameters: { environment }, body: { events: events() } },
    { operation: 'PutConfiguration', parameters: { configuration_id: 'spring' }, body: spring },
    { operation: 'CreateConfiguration', body: { configuration_id: 'trail-weeks', ...trailWeeks } },
    { operation: 'ListConfigurations' },
    { operation: 'GetConfiguration', parameters: { configuration_id: 'spring' } },
    {
      operation: 'PutConfigurationDraft',
      parameters: { configuration_id: 'spring' },
      body: { base_version: 1, document: spring },
    },
    { operation: 'ListConfigurationDrafts' },
    { operation: 'GetConfigurationDraft', parameters: { configuration_id: 'spring' } },
    {
      operation: 'CreateDraftComment',
      parameters: { configuration_id: 'spring' },
      body: { text: 'Also for sandals?' },
    },
    { operation: 'ListDraftComments', parameters: { configuration_id: 'spring' } },
    {
      operation: 'CreatePreviewToken',
      parameters: { environment },
      body: { configuration_id: 'spring' },
    },
  ];
}

function servingCalls(): ExampleCall[] {
  return [
    {
      operation: 'EvaluatePolicy',
      parameters: { environment },
      body: { configuration_id: 'spring', metric: 'clicks' },
    },
    { operation: 'CreateRecommendations', parameters: { environment }, body: recommendations() },
    { operation: 'CreatePage', parameters: { environment }, body: startPage() },
    {
      operation: 'PutPage',
      parameters: { environment, page_id: 'start' },
      body: { title: 'Start page', ...startRows() },
    },
    { operation: 'GetPage', parameters: { environment, page_id: 'start' } },
    { operation: 'ListPages', parameters: { environment, page_size: 2 } },
    { operation: 'DeletePage', parameters: { environment, page_id: 'start' } },
    {
      operation: 'ListSegments',
      parameters: { environment, property: 'categories', device_id: 'anna-phone', limit: 3 },
    },
    {
      operation: 'GetListStatement',
      parameters: { environment, configuration_id: 'home', page_type: 'home' },
    },
    {
      operation: 'CreateVisitorControl',
      parameters: { environment },
      body: { device_id: 'my-tablet', action: 'less_of', property: 'brand', value: 'Northfield' },
    },
    {
      operation: 'CreateSearch',
      parameters: { environment },
      body: {
        q: 'trial shoes',
        ...visitor,
        limit: 2,
        facets: ['brand', { key: 'price', ranges: [50, 100] }],
      },
    },
    { operation: 'GetCompletions', parameters: { environment, q: 'trail sh', device_id: 'anna-phone' } },
    {
      operation: 'CreateCompletions',
      parameters: { environment },
      body: { q: 'trial', fuzziness: 1, device_id: 'anna-phone', filter_by: { item_type: 'item' } },
    },
    {
      operation: 'PutSynonym',
      parameters: { environment, synonym_id: 'boots' },
      body: { words: ['boots', 'wellies'] },
    },
    { operation: 'GetSynonym', parameters: { environment, synonym_id: 'boots' } },
    { operation: 'ListSynonyms', parameters: { environment, page_size: 2 } },
    {
      operation: 'TrySynonym',
      parameters: { environment },
      body: { synonym: { from: ['shoes'], to: ['boots'] }, limit: 2 },
    },
    { operation: 'DeleteSynonym', parameters: { environment, synonym_id: 'boots' } },
    {
      operation: 'PutBlockedQueries',
      parameters: { environment },
      body: { phrases: ['cheap replica', 'refurbished'] },
    },
    { operation: 'GetBlockedQueries', parameters: { environment } },
  ];
}

function administrationCalls(): ExampleCall[] {
  return [
    { operation: 'ListAlerts', parameters: { environment, page_size: 2 } },
    { operation: 'ListPerformance', parameters: { environment, dimension: 'item', limit: 2 } },
    { operation: 'ListVisitorMetrics', parameters: { environment } },
    {
      operation: 'PutView',
      parameters: { environment, view_id: 'clicks' },
      body: { title: 'Clicks by channel', query: 'metric=clicks&by=channel&range=7d', shared: true },
    },
    { operation: 'GetView', parameters: { environment, view_id: 'clicks' } },
    { operation: 'ListViews', parameters: { environment } },
    { operation: 'DeleteView', parameters: { environment, view_id: 'clicks' } },
    { operation: 'ListGuarantees', parameters: { environment } },
    { operation: 'PlanExperiment', parameters: { environment }, body: { effect: 0.2 } },
    { operation: 'ExportFeed', parameters: { environment, feed: 'merchant.tsv' } },
    { operation: 'PutExperiment', parameters: newHome, body: newHomeDocument },
    { operation: 'StartExperiment', parameters: newHome },
    { operation: 'RampExperiment', parameters: newHome, body: { share: 0.25 } },
    { operation: 'GetExperiment', parameters: newHome },
    { operation: 'ListExperiments', parameters: { environment, page_size: 2 } },
    { operation: 'GetExperimentResults', parameters: newHome },
    { operation: 'StopExperiment', parameters: newHome },
    { operation: 'ConcludeExperiment', parameters: newHome, body: { winner: 'sequences' } },
    { operation: 'ArchiveExperiment', parameters: newHome },
    { operation: 'DeleteExperiment', parameters: newHome },
    { operation: 'CreateAudience', parameters: { environment }, body: { audience: audience() } },
    { operation: 'CreateBatch', parameters: { environment }, body: batch() },
    {
      operation: 'CreateImport',
      parameters: { environment },
      body: { file_name: 'mugs.csv', format: 'csv', columns: ['item_id', 'title', 'price'] },
    },
    { operation: 'ListImports', parameters: { environment, page_size: 1 } },
    {
      operation: 'ListBatches',
      parameters: { environment, page_size: 1 },
      until: (answer) => (answer as { batches: unknown[] }).batches.every(isDone),
    },
    { operation: 'ListMetrics' },
    { operation: 'GetMetric', parameters: { metric: 'pageviews', environment, limit: 3 } },
    /** Before another training ends, when no rollback is possible. */
    { operation: 'RollBackModels', parameters: { environment } },
    { operation: 'TrainModels', parameters: { environment } },
    { operation: 'ListTrainings', parameters: { environment, page_size: 1 } },
    { operation: 'GetDiagnosis', parameters: { environment } },
    { operation: 'DeleteConfiguration', parameters: { configuration_id: 'trail-weeks' } },
    { operation: 'ListActivity', parameters: { page_size: 2 } },
    { operation: 'ListAuditEntries', parameters: { page_size: 2 } },
    { operation: 'ExportUser', parameters: { environment, user_id: 'my-user' } },
    { operation: 'ExportDevice', parameters: { environment, device_id: 'my-device' } },
    { operation: 'DeleteUser', parameters: { environment, user_id: 'my-user' } },
    { operation: 'DeleteDevice', parameters: { environment, device_id: 'my-device' } },
    { operation: 'ListDeletions', parameters: { page_size: 1 } },
    { operation: 'ListChanges', parameters: { environment, limit: 1 } },
    { operation: 'CreateWebhook', parameters: { environment }, body: hook },
    { operation: 'InvitePerson', body: anna },
    { operation: 'ListPeople' },
    { operation: 'PutInterest', parameters: interest, body: newTents },
    { operation: 'GetInterest', parameters: interest },
    { operation: 'ListInterests', parameters: { environment } },
    { operation: 'DeleteInterest', parameters: interest },
  ];
}

/** Calls that need earlier answers. */
export function laterCalls(answers: ExampleAnswers): ExampleCall[] {
  const listKeyOf = (operation: string) =>
    (answers.get(operation) as { lists: { list_key: string }[] }).lists[0].list_key;
  const page = (operation: string, offset: number) => ({
    environment,
    list_key: listKeyOf(operation),
    offset,
    limit: 2,
  });
  const { audience_id: audienceId } = (answers.get('CreateAudience') as { audience: { audience_id: string } })
    .audience;
  const { batch_id: batchId } = answers.get('CreateBatch') as { batch_id: string };
  const { import_id } = answers.get('CreateImport') as { import_id: string };
  const { training_id: trainingId } = answers.get('TrainModels') as { training_id: string };
  const { webhook_id } = (answers.get('CreateWebhook') as { webhook: { webhook_id: string } }).webhook;
  const webhook = { environment, webhook_id };
  const { person_id } = (answers.get('InvitePerson') as { person: { person_id: string } }).person;
  const { comment_id } = answers.get('CreateDraftComment') as { comment_id: string };
  const spring = { configuration_id: 'spring' };
  return [
    ...accountCalls(answers),
    { operation: 'DeleteDraftComment', parameters: { ...spring, comment_id } },
    { operation: 'DeleteConfigurationDraft', parameters: spring },
    { operation: 'SetPersonRoles', parameters: { person_id }, body: { roles: ['editor:demo'] } },
    { operation: 'ResetPerson', parameters: { person_id } },
    { operation: 'RemovePerson', parameters: { person_id } },
    { operation: 'GetRecommendationList', parameters: page('CreateRecommendations', 3) },
    { operation: 'GetSearchList', parameters: page('CreateSearch', 2) },
    {
      operation: 'GetAudience',
      parameters: { environment, audience_id: audienceId, offset: 3, limit: 2 },
    },
    { operation: 'GetTraining', parameters: { environment, training_id: trainingId } },
    { operation: 'GetBatch', parameters: { environment, batch_id: batchId } },
    ...importCalls({ environment, import_id }),
    { operation: 'ExportBatchResults', parameters: { environment, batch_id: batchId, limit: 2 } },
    { operation: 'CancelBatch', parameters: { environment, batch_id: batchId } },
    { operation: 'ListWebhooks', parameters: { environment } },
    { operation: 'GetWebhook', parameters: webhook },
    { operation: 'UpdateWebhook', parameters: webhook, body: hook },
    { operation: 'RotateWebhookSecret', parameters: webhook, body: { overlap_hours: 48 } },
    { operation: 'TestWebhook', parameters: webhook },
    { operation: 'ReplayWebhook', parameters: webhook },
    { operation: 'ListWebhookDeliveries', parameters: webhook, until: hasDeliveries },
    { operation: 'DeleteWebhook', parameters: webhook },
  ];
}

/** Calls as the invited person. */
function accountCalls(answers: ExampleAnswers): ExampleCall[] {
  const asPerson = true;
  const setup_key = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  const code = new TOTP({ secret: setup_key }).generate();
  return [
    { asPerson, operation: 'GetAccount' },
    { asPerson, operation: 'CreateSecondFactor' },
    { asPerson, operation: 'ConfirmSecondFactor', body: { password, setup_key, code } },
    {
      asPerson,
      operation: 'RemoveSecondFactor',
      get body() {
        const { recovery_codes } = answers.get('ConfirmSecondFactor') as { recovery_codes: string[] };
        return { password, code: recovery_codes[0] };
      },
    },
    { asPerson, operation: 'ChangePassword', body: { password, new_password: `${password} staple` } },
  ];
}

function importCalls(mugs: { environment: string; import_id: string }): ExampleCall[] {
  return [
    { operation: 'UploadImportPart', parameters: mugs, body: { part: 0, content: mugTable } },
    {
      operation: 'StartImport',
      parameters: mugs,
      body: { part_count: 1, item_type: 'item', validate_only: true },
    },
    { operation: 'GetImport', parameters: mugs, until: isDone },
    { operation: 'ExportRejectedRecords', parameters: mugs },
    { operation: 'CancelImport', parameters: mugs },
  ];
}

const mugTable = 'item_id,title,price\nred-mug,"Enamel mug, red",14.50\nblue-mug,"Enamel mug, blue",free\n';

function events() {
  const seen = { device_id: 'my-device', user_id: 'my-user' };
  return [
    {
      event_type: 'detail_pageview',
      ...seen,
      page_type: 'detail',
      action_item: 'leather-trail-boots-resoleable',
      action_item_type: 'item',
    },
    {
      event_type: 'purchase',
      ...seen,
      action_item: 'leather-trail-boots-resoleable',
      action_item_type: 'item',
      amount: 1,
      purchased_price: 189,
      event_id: 'order-1042-1',
    },
  ];
}

function recommendations() {
  const list = { configuration_id: 'home', list_name: 'for you', list_size: 4, limit: 2 };
  return { ...visitor, channel: 'web', lists: [list] };
}

const startPage = () => ({ ...visitor, ...startRows() });

function startRows() {
  const list = { configuration_id: 'home', list_size: 4, limit: 2 };
  return {
    maximum_rows: 2,
    rows: [
      { list_name: 'categories', ...list, for_each: 'categories', title: 'Best of {segment}' },
      { list_name: 'trending', ...list, order: 'trending', title: 'Trending', pinned: 2 },
    ],
  };
}

function batch() {
  const list = { configuration_id: 'home', list_name: 'autumn mail', list_size: 2 };
  return { user_ids: ['anna', 'bruno'], page_type: 'email', lists: [list], fields: ['title'] };
}

function audience() {
  return {
    audience_name: 'Trail boots in autumn',
    audience_size: 100,
    integration_type: 'email',
    promotion: [{ id: 'leather-trail-boots-resoleable', item_type: 'item' }],
    limit: 2,
  };
}
