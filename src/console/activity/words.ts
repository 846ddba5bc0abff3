/** Changes in plain words. */

import type { AuditEntry } from '../../../gen/es/personalisation/v1/audit_pb.js';
import { t } from '../kit/texts.ts';

/** By action, or by its last part. */
const verbs: Readonly<Record<string, string>> = {
  put: 'saved',
  delete: 'deleted',
  enable: 'enabled',
  disable: 'disabled',
  purge: 'deleted',
  start: 'started',
  ramp: 'ramped',
  stop: 'stopped',
  decide: 'decided',
  conclude: 'concluded',
  archive: 'archived',
  train: 'trained',
  roll_back: t('restored a version of'),
  draft: t('edited the draft of'),
  propose: t('proposed the draft of'),
  discard_draft: t('discarded the draft of'),
  preview: t('made a preview link of'),
  'configurations.put': 'published',
};

type Kind = {
  label: string;
  noun: string;
  /** Page of the resource, and the scope that it needs. */
  page?(id: string): string;
  area?: string;
};

/** By the first segment of a resource. */
export const kinds: Readonly<Record<string, Kind>> = {
  configurations: {
    ...{ label: t('Rule sets'), noun: t('rule set'), area: 'configurations' },
    page: (id) => `configurations/${encodeURIComponent(id)}`,
  },
  experiments: {
    ...{ label: t('Experiments'), noun: t('experiment'), area: 'metrics' },
    page: (id) => `experiments/${encodeURIComponent(id)}`,
  },
  items: {
    ...{ label: t('Items'), noun: t('item'), area: 'items' },
    page: (name) => {
      const [type, ...id] = name.split('/');
      return `catalogue/${encodeURIComponent(type)}/${encodeURIComponent(id.join('/'))}`;
    },
  },
  models: { label: t('Models'), noun: t('models'), area: 'admin', page: () => 'models' },
  synonyms: {
    ...{ label: t('Synonyms'), noun: t('synonym'), area: 'configurations' },
    page: () => 'search?view=synonyms',
  },
  blocked_queries: {
    ...{ label: t('Blocked queries'), noun: t('blocked queries'), area: 'configurations' },
    page: () => 'search?view=blocked',
  },
  pages: {
    ...{ label: t('Pages'), noun: t('page'), area: 'configurations' },
    page: (id) => `pages/${encodeURIComponent(id)}`,
  },
  views: { label: t('Views'), noun: t('view'), area: 'metrics', page: () => 'metrics' },
  interests: { label: t('Interests'), noun: t('interest') },
};

/** Returns a change as parts of a sentence: `published` `rule set` `home`. */
export function wordsOf({ action, resource }: AuditEntry) {
  const slash = resource.indexOf('/');
  const [kind, id] = slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)];
  const { noun = kind, page, area } = kinds[kind] ?? {};
  const verb = verbs[action] ?? verbs[action.slice(action.indexOf('.') + 1)] ?? action;
  return { verb, noun, id, page: page?.(id), area };
}
