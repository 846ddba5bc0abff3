/** Properties that the deployment file should declare, so that rules and searches can use the fields of a rival. */

import type { Row } from '../../formats/records/mapping/row.ts';
import type { ProposedField } from './rivals.ts';

/** Rows from which types are read. */
const mostRows = 1_000;
const mostFields = 100;

export type Proposal = {
  /** Notes the types of the fields that are not declared. @param json An item to send */
  note(json: string): void;
  add(fields: readonly ProposedField[]): void;
  /** Returns YAML of the item type; empty if nothing is missing. */
  text(itemType: string, isMissing: (name: string) => boolean): string;
};

export function createProposal(): Proposal {
  const types = new Map<string, Set<string>>();
  const settings = new Map<string, ProposedField>();
  let rowCount = 0;
  return {
    note(json) {
      rowCount += 1;
      if (rowCount > mostRows) return;
      const fields: Row = JSON.parse(json).item_attributes ?? {};
      for (const [name, value] of Object.entries(fields))
        if (types.has(name) || types.size < mostFields)
          types.set(name, (types.get(name) ?? new Set()).add(typeOf(value)));
    },
    add(fields) {
      for (const field of fields) settings.set(field.name, field);
    },
    text(itemType, isMissing) {
      const names = new Set([...settings.keys(), ...types.keys()]);
      const missing = [...names].filter((name) => /^[A-Za-z]\w*$/.test(name) && isMissing(name));
      const lines = missing.flatMap((name) => {
        const { type, weight, isFilter = false } = settings.get(name) ?? {};
        const seen = [...(types.get(name) ?? [])];
        const known = type ?? (seen.length === 1 ? seen[0] : settings.has(name) ? 'string' : '');
        if (known === '') return [];
        const options = [
          ...(isFilter ? ['filterable: true'] : []),
          ...(weight !== undefined && known.startsWith('string')
            ? [`searchable: { weight: ${weight} }`]
            : []),
        ];
        return `      - { ${[`name: ${name}`, `type: ${known}`, ...options].join(', ')} }`;
      });
      return lines.length === 0 ? '' : [`  - name: ${itemType}`, '    properties:', ...lines].join('\n');
    },
  };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? 'string[]' : '';
  return typeof value === 'object' ? '' : typeof value;
}
