/**
 * Hashes passwords with argon2id (RFC 9106) in the PHC string format,
 * `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`: 19 MiB and some 30 ms a guess. Each hash carries its
 * parameters, so costs can be changed.
 */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { unpadded } from './scrypt.ts';

const derive = promisify(argon2);

const current = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const saltBytes = 16;

const format = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes);
  const hash = await derive('argon2id', { ...current, nonce, message: password });
  return formatHash(nonce, hash);
}

/** Compares in a time that depends only on the parameters of the hash. */
export async function matchesPassword(password: string, text: string): Promise<boolean> {
  const { expected, ...parameters } = parseHash(text);
  return timingSafeEqual(await derive('argon2id', { ...parameters, message: password }), expected);
}

/** Creates a hash that no password has. */
export const createDecoyPassword = () => formatHash(randomBytes(saltBytes), randomBytes(current.tagLength));

function formatHash(nonce: Buffer, hash: Buffer): string {
  const { memory, passes, parallelism } = current;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(hash)}`;
}

function parseHash(text: string): Omit<Argon2Parameters, 'message'> & { expected: Buffer } {
  const match = format.exec(text);
  if (!match) throw new Error('A stored password hash is not of the form $argon2id$v=19$m=..$SALT$HASH.');
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number);
  const expected = Buffer.from(match[5], 'base64');
  const nonce = Buffer.from(match[4], 'base64');
  return { memory, passes, parallelism, tagLength: expected.length, nonce, expected };
}
