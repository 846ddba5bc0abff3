/** Changes in plain words. */

import type { AuditEntry } from '../../../gen/es/personalisation/v1/audit_pb.js';
import { type Text, t } from '../texts/texts.ts';

/** By action, or by its last part. */
const sentences: Readonly<Record<string, Text>> = {
  put: '{person} saved {object}',
  delete: '{person} deleted {object}',
  enable: '{person} enabled {object}',
  disable: '{person} disabled {object}',
  purge: '{person} deleted {object}',
  start: '{person} started {object}',
  ramp: '{person} ramped {object}',
  stop: '{person} stopped {object}',
  decide: '{person} decided {object}',
  conclude: '{person} concluded {object}',
  archive: '{person} archived {object}',
  train: '{person} trained {object}',
  roll_back: '{person} restored a version of {object}',
  draft: '{person} edited the draft of {object}',
  propose: '{person} proposed the draft of {object}',
  discard_draft: '{person} discarded the draft of {object}',
  preview: '{person} made a preview link of {object}',
  'configurations.put': '{person} published {object}',
};

/** Sentence of other actions. */
const other: Text = '{person} {action} {object}';

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

/** Returns a change as a sentence and parts of its object: `rule set` `home`. */
export function wordsOf({ action, resource }: AuditEntry) {
  const slash = resource.indexOf('/');
  const [kind, id] = slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)];
  const { noun = kind, page, area } = kinds[kind] ?? {};
  const sentence = sentences[action] ?? sentences[action.slice(action.indexOf('.') + 1)] ?? other;
  return { sentence, noun, id, page: page?.(id), area };
}
