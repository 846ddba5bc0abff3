/** Changes in plain words. */

import type { AuditEntry } from '../../../gen/es/personalisation/v1/audit_pb.js';

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
  roll_back: 'restored a version of',
  draft: 'edited the draft of',
  propose: 'proposed the draft of',
  discard_draft: 'discarded the draft of',
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
    ...{ label: 'Rule sets', noun: 'rule set', area: 'configurations' },
    page: (id) => `configurations/${encodeURIComponent(id)}`,
  },
  experiments: {
    ...{ label: 'Experiments', noun: 'experiment', area: 'metrics' },
    page: (id) => `experiments/${encodeURIComponent(id)}`,
  },
  items: {
    ...{ label: 'Items', noun: 'item', area: 'items' },
    page: (name) => {
      const [type, ...id] = name.split('/');
      return `catalogue/${encodeURIComponent(type)}/${encodeURIComponent(id.join('/'))}`;
    },
  },
  models: { label: 'Models', noun: 'models', area: 'admin', page: () => 'models' },
  synonyms: {
    ...{ label: 'Synonyms', noun: 'synonym', area: 'configurations' },
    page: () => 'search?view=synonyms',
  },
  blocked_queries: {
    ...{ label: 'Blocked queries', noun: 'blocked queries', area: 'configurations' },
    page: () => 'search?view=blocked',
  },
  interests: { label: 'Interests', noun: 'interest' },
};

/** Returns a change as parts of a sentence: `published` `rule set` `home`. */
export function wordsOf({ action, resource }: AuditEntry) {
  const slash = resource.indexOf('/');
  const [kind, id] = slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)];
  const { noun = kind, page, area } = kinds[kind] ?? {};
  const verb = verbs[action] ?? verbs[action.slice(action.indexOf('.') + 1)] ?? action;
  return { verb, noun, id, page: page?.(id), area };
}
