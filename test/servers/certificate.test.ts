/** An unusable certificate is reported with its file and setting. */

import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Certificate, followCertificate, readCertificate } from '../../src/servers/certificate.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { makeCertificate } from '../support/certificate.ts';

const certificate = String(makeCertificate().certificate);

function someKey(passphrase?: string): string {
  const encrypted = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', ...encrypted },
  }).privateKey;
}

async function pathsOf(t: ExecutionContext, texts: { certificate: string; key: string }) {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const paths = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await writeFile(paths.certificate, texts.certificate);
  await writeFile(paths.key, texts.key);
  return paths;
}

const faults: [title: string, texts: { certificate: string; key: string }, message: RegExp][] = [
  [
    'no certificate',
    { certificate: 'hello', key: someKey() },
    /^server\.tls\.certificate: \S+cert\.pem cannot be used as a certificate in PEM: ./,
  ],
  [
    'no key',
    { certificate, key: certificate },
    /^server\.tls\.key: \S+key\.pem cannot be used as a private key in PEM /,
  ],
  [
    'a key with a passphrase',
    { certificate, key: someKey('secret') },
    /key\.pem cannot .* without a passphrase: ./,
  ],
  [
    'another key',
    { certificate, key: someKey() },
    /^server\.tls\.key: \S+key\.pem cannot be used with \S+cert\.pem: .*mismatch/,
  ],
];

for (const [title, texts, message] of faults) {
  test(`${title} is reported`, async (t) => {
    const paths = await pathsOf(t, texts);
    t.throws(() => readCertificate(paths), { message });
  });
}

test('a renewed certificate is loaded, and an unusable one is not', async (t) => {
  const textsOf = ({ certificate, key }: Certificate) => ({
    certificate: String(certificate),
    key: String(key),
  });
  const paths = await pathsOf(t, textsOf(makeCertificate()));
  const followed = followCertificate(paths, createLogger('silent'));
  const taken: Certificate[] = [];
  followed.onRenewal((renewed) => taken.push(renewed));
  await followed.run();
  t.deepEqual(taken, []);
  const [second, third] = [makeCertificate(), makeCertificate()];
  await writeFile(paths.certificate, second.certificate);
  await followed.run();
  t.deepEqual(taken, [], 'its key is still the one before');
  await writeFile(paths.key, second.key);
  await followed.run();
  await rm(paths.key);
  await followed.run();
  t.deepEqual(followed.current, second);
  await writeFile(paths.certificate, third.certificate);
  await writeFile(paths.key, third.key);
  await followed.run();
  t.deepEqual(taken, [second, third]);
  await followed.stop();
});
