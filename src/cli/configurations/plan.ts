/** The steps that make the configurations of the service those of a folder. */

import { type Change, diffDocuments } from '../../formats/diff.ts';
import type { ConfigurationDocument } from './documents.ts';

export type Stored = { document: ConfigurationDocument; etag: string };

export type Step =
  | { kind: 'create'; id: string; document: ConfigurationDocument }
  | { kind: 'update'; id: string; document: ConfigurationDocument; etag: string; changes: Change[] }
  | { kind: 'delete'; id: string; etag: string };

/** @param deletes Whether configurations that the folder lacks are deleted. */
export function planSteps(
  wanted: ReadonlyMap<string, ConfigurationDocument>,
  stored: ReadonlyMap<string, Stored>,
  deletes: boolean,
): Step[] {
  const writes = Array.from(wanted, ([id, document]): Step[] => {
    const present = stored.get(id);
    if (!present) return [{ kind: 'create', id, document }];
    const changes = diffDocuments(present.document, document);
    return changes.length === 0 ? [] : [{ kind: 'update', id, document, etag: present.etag, changes }];
  });
  const surplus = Array.from(stored).filter(([id]) => deletes && !wanted.has(id));
  return [...writes.flat(), ...surplus.map(([id, { etag }]): Step => ({ kind: 'delete', id, etag }))];
}

/** Returns a heading, and a line for each change with the values before and after. */
export function describeStep(step: Step): string {
  if (step.kind === 'create') return `+ ${step.id} is new`;
  if (step.kind === 'delete') return `- ${step.id} is only in the service`;
  return [`~ ${step.id}`, ...step.changes.map(describeChange)].join('\n');
}

function describeChange({ pointer, ...values }: Change): string {
  const show = (side: 'before' | 'after') =>
    side in values ? shorten(JSON.stringify(values[side])) : 'nothing';
  return `    ${pointer || '(whole)'}: ${show('before')} → ${show('after')}`;
}

const longestValue = 100;

function shorten(text: string): string {
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
