/** Values that a deployment registers: what another one leads to, in events and in requests. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import { findUnregistered, type RegisteredFacts } from '../../events/event-rules.ts';

/** The faults of values that are to be rejected; those to warn of are told to `warn`, unless nothing of the request is to be kept. */
export function checkRegistered(
  facts: RegisteredFacts & { doNotStore?: boolean },
  settings: EnvironmentSettings,
  warn: (finding: object) => void,
): Violation[] {
  const violations: Violation[] = [];
  for (const { pointer, field, value, onUnknown } of findUnregistered(facts, settings)) {
    if (onUnknown === 'reject')
      violations.push({ pointer, detail: `${JSON.stringify(value)} is not registered.` });
    else if (!facts.doNotStore) warn({ environment: settings.name, field, value });
  }
  return violations;
}
