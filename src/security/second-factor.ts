/**
 * The second factor of people: one-time codes of an authenticator app (TOTP, RFC 6238), and recovery
 * codes. The key is stored encrypted like signing keys, recovery codes as hashes.
 */
import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { invalid } from '../errors.ts';
import type { Actor } from '../repository/audit/audit-entries.ts';
import type { Database } from '../repository/database.ts';
import { changePerson, type PersonRow, spendCode } from '../repository/security/people.ts';
import type { KeySealer, StoredKey } from './jwt/sealed-keys.ts';
import { rateLimited } from './limits/gate.ts';
import { createTokenBuckets } from './limits/token-buckets.ts';

export type SecondFactor = {
  /** Creates a key for an authenticator app; nothing is stored. */
  propose(person: PersonRow): { setupKey: string; setupUri: string };
  /** Stores the key of a right code. The changes end the sessions, and return undefined if the person has changed. */
  set(
    person: PersonRow,
    proof: { setupKey: string; code: string },
    actor: Actor,
  ): Promise<NewFactor | undefined>;
  remove(person: PersonRow, code: string, actor: Actor): Promise<PersonRow | undefined>;
  /** Whether a code is right and new; it is used up then. @throws RATE_LIMITED */
  spend(person: PersonRow, code: string): Promise<boolean>;
};

type NewFactor = { person: PersonRow; recoveryCodes: string[] };

const keyBytes = 20;
/** A code of 80 random bits needs no salt. */
const recoveryBytes = 10;
const recoveryCount = 10;
/** Tries for each person: of 1,000,000 codes, three are right at a time. */
const tries = { perSecond: 1 / 60, burst: 10, maxBytes: 1024 * 1024 };

export type SecondFactorOptions = {
  db: Database;
  sealer: KeySealer;
  /** Milliseconds since the epoch. */
  clock: () => number;
  elapsedMs: () => number;
};

export function createSecondFactor({ db, sealer, clock, elapsedMs }: SecondFactorOptions): SecondFactor {
  const attempts = createTokenBuckets({ ...tries, elapsedMs });

  /** Returns the 30 seconds since the epoch that a code belongs to, at most one off. */
  function stepOf(totp: TOTP, code: string): number | undefined {
    const timestamp = clock();
    const delta = totp.validate({ token: code, timestamp, window: 1 });
    return delta === null ? undefined : totp.counter({ timestamp }) + delta;
  }

  async function spend({ personId, totpKey }: PersonRow, text: string): Promise<boolean> {
    const waitMs = attempts.take(personId);
    if (waitMs > 0) throw rateLimited('Too many codes were tried', waitMs);
    const code = text.replace(/[\s-]/g, '').toUpperCase();
    const { k } = await sealer.open(totpKey as StoredKey);
    const step = stepOf(totpOf(Secret.fromBase32(k!)), code);
    return spendCode(db, personId, step === undefined ? { recoveryHash: hash(code) } : { step });
  }

  return {
    spend,
    propose({ email }) {
      const totp = totpOf(new Secret({ size: keyBytes }), email);
      return { setupKey: totp.secret.base32, setupUri: totp.toString() };
    },
    async set(person, { setupKey, code }, actor) {
      if (person.totpKey) throw invalid('', 'You have a second factor already. Remove it first.');
      const totpStep = stepOf(totpOf(readKey(setupKey)), code.replace(/\s/g, ''));
      if (totpStep === undefined) throw invalid('/code', 'Wrong code. Check the clock of the device.');
      const totpKey = await sealer.seal({ kty: 'oct', k: setupKey });
      const recoveryCodes = Array.from({ length: recoveryCount }, createRecoveryCode);
      const recoveryHashes = recoveryCodes.map((one) => hash(one.replaceAll('-', '')));
      const change = { totpKey, totpStep, recoveryHashes };
      const action = { ...actor, action: 'people.set_second_factor' as const };
      const isDone = await changePerson(db, person, change, action);
      return isDone ? { person: { ...person, session: person.session + 1 }, recoveryCodes } : undefined;
    },
    async remove(person, code, actor) {
      if (!person.totpKey) return person;
      if (!(await spend(person, code))) throw invalid('/code', 'Wrong code, or it was used already.');
      const action = { ...actor, action: 'people.remove_second_factor' as const };
      const isDone = await changePerson(db, person, {}, action);
      return isDone ? { ...person, session: person.session + 1 } : undefined;
    },
  };
}

const totpOf = (secret: Secret, label = '') => new TOTP({ issuer: 'Personalisation', label, secret });

function readKey(setupKey: string): Secret {
  if (!/^[A-Z2-7]{32}$/.test(setupKey)) throw invalid('/setup_key', 'Must be the key of CreateSecondFactor.');
  return Secret.fromBase32(setupKey);
}

/** Such as `ABCD-EFGH-IJKL-MNOP`. */
const createRecoveryCode = () => new Secret({ size: recoveryBytes }).base32.match(/.{4}/g)!.join('-');

const hash = (code: string) => createHash('sha256').update(code).digest('base64url');
