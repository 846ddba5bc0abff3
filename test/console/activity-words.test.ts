/** The kinds of changes that the documentation, the operation and the console know. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import test from 'ava';
import { AuditEntrySchema } from '../../gen/es/personalisation/v1/audit_pb.js';
import { ListActivityRequestSchema } from '../../gen/es/personalisation/v1/audit_service_pb.js';
import { kinds, wordsOf } from '../../src/console/activity/words.ts';
import { shapeOf } from '../../src/formats/codec.ts';
import { restrictedKinds, sharedKinds } from '../../src/repository/audit/audit-entries.ts';

const security = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');
const [, audit] = /^## Audit$(.*?)^## /ms.exec(security)!;

/** Documented actions; `.start` has the kind of the action before. */
const actions = [...audit.matchAll(/^\| (`\w+\.\w+`.*?) \|/gm)].flatMap(([, cell]) => {
  const [, kind] = /`(\w+)\./.exec(cell)!;
  return Array.from(cell.matchAll(/`(\w*)\.(\w+)`/g), ([, own, verb]) => `${own || kind}.${verb}`);
});

const kindOf = (action: string) => action.split('.')[0];
const isShared = (action: string) => (sharedKinds as readonly string[]).includes(kindOf(action));

test('each kind of audited change is documented, and each that colleagues see can be filtered and named', (t) => {
  const documented = [...new Set(actions.map(kindOf))].sort();
  t.deepEqual(documented, [...sharedKinds, ...restrictedKinds].sort());
  t.deepEqual(Object.keys(kinds).sort(), [...sharedKinds].sort());
  t.deepEqual(shapeOf(ListActivityRequestSchema.field.kinds).oneOf, [...sharedKinds]);
});

test('each action that colleagues see has words', (t) => {
  for (const action of actions.filter(isShared)) {
    const words = wordsOf(create(AuditEntrySchema, { action, resource: `${kindOf(action)}/one` }));
    t.regex(words.sentence, /^\{person\} [a-z ]+ \{object\}$/, action);
    t.regex(words.noun, /^[a-z][a-z ]+$/, action);
  }
});
