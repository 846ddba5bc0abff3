/** A self-signed certificate for `localhost` (X.509, RFC 5280), which Node cannot create. */

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const validMs = 3_600_000;

export type Certificate = { certificate: Buffer; key: Buffer };

export function makeCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const body = sequence(
    version3,
    element(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    localhost,
    sequence(time(now - validMs), time(now + validMs)),
    localhost,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = element(0x03, Buffer.of(0), sign('sha256', body, privateKey));
  return {
    certificate: pem('CERTIFICATE', sequence(body, ecdsaWithSha256, signature)),
    key: Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

/** In the form of the ports. */
export function sourceOf(first: Certificate) {
  const takers: ((renewed: Certificate) => void)[] = [];
  return {
    current: first,
    onRenewal: (take: (renewed: Certificate) => void) => void takers.push(take),
    renew(renewed: Certificate) {
      for (const take of takers) take(renewed);
    },
  };
}

/** DER: a tag, a length and content. */
function element(tag: number, ...content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...head), bytes]);
}

const sequence = (...content: Buffer[]) => element(0x30, ...content);
const identifier = (hex: string) => element(0x06, Buffer.from(hex, 'hex'));

const version3 = element(0xa0, element(0x02, Buffer.of(2)));
const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));
const commonName = sequence(identifier('550403'), element(0x0c, Buffer.from('localhost')));
const localhost = sequence(element(0x31, commonName));

/** Its names: `localhost`, 127.0.0.1. */
const names = sequence(element(0x82, Buffer.from('localhost')), element(0x87, Buffer.of(127, 0, 0, 1)));
const extensions = element(0xa3, sequence(sequence(identifier('551d11'), element(0x04, names))));

/** In seconds, such as `20261126024300Z`. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+/, '').replaceAll(/[-T:]/g, '');
  return element(0x18, Buffer.from(digits));
}

function pem(label: string, der: Buffer): Buffer {
  const lines = der.toString('base64').match(/.{1,64}/g)!;
  return Buffer.from([`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n'));
}
