/**
 * Hashes client secrets with scrypt (RFC 7914) in the PHC string format,
 * `$scrypt$ln=14,r=8,p=1$SALT$HASH`.
 *
 * A random secret of 256 bits cannot be guessed, so its hash is cheap to verify. A chosen secret
 * costs 16 MiB and some 40 ms a guess. Each hash carries its parameters, so costs can be changed.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

type Hash = { logCost: number; blockSize: number; parallelism: number; salt: Buffer; hash: Buffer };

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Origin of a secret: `random` means 256 bits by createCredentials. */
export type Origin = 'random' | 'chosen';

const logCosts: Record<Origin, number> = { random: 1, chosen: 14 };
const current = { blockSize: 8, parallelism: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** Above the need of any hash: 128 · 2^17 · 8 bytes. */
const mostMemoryBytes = 160 * 1024 * 1024;

const format = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export async function hashSecret(secret: string, origin: Origin): Promise<string> {
  const parameters = { ...current, logCost: logCosts[origin], salt: randomBytes(saltBytes) };
  const hash = await deriveHash(secret, { ...parameters, hash: Buffer.alloc(hashBytes) });
  return formatHash({ ...parameters, hash });
}

/** Compares in a time that depends only on the parameters of the hash. */
export async function matchesHash(secret: string, text: string): Promise<boolean> {
  const expected = parseHash(text);
  return timingSafeEqual(await deriveHash(secret, expected), expected.hash);
}

/** Creates a hash that no secret has and that takes as long to compare as that of a random one. */
export function createDecoyHash(): string {
  const logCost = logCosts.random;
  return formatHash({ ...current, logCost, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) });
}

function deriveHash(secret: string, { logCost, blockSize, parallelism, salt, hash }: Hash): Promise<Buffer> {
  const options = { N: 2 ** logCost, r: blockSize, p: parallelism, maxmem: mostMemoryBytes };
  return derive(secret, salt, hash.length, options);
}

function formatHash({ logCost, blockSize, parallelism, salt, hash }: Hash): string {
  const parameters = `ln=${logCost},r=${blockSize},p=${parallelism}`;
  return `$scrypt$${parameters}$${unpadded(salt)}$${unpadded(hash)}`;
}

function parseHash(text: string): Hash {
  const match = format.exec(text);
  if (!match) throw new Error('A stored secret hash is not of the form $scrypt$ln=..,r=..,p=..$SALT$HASH.');
  const [logCost, blockSize, parallelism] = match.slice(1, 4).map(Number);
  return {
    logCost,
    blockSize,
    parallelism,
    salt: Buffer.from(match[4], 'base64'),
    hash: Buffer.from(match[5], 'base64'),
  };
}

export const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
