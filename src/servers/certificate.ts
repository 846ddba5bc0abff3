/** The certificate of the ports, and its key, as the deployment file names them. */

import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

export type Certificate = { certificate: Buffer; key: Buffer };

/** @throws Error that names the file which cannot be used; the library's own says neither which nor what for. */
export function readCertificate(paths: { certificate: string; key: string }): Certificate {
  const cert = readFileSync(paths.certificate);
  const key = readFileSync(paths.key);
  check({ cert }, `certificate: ${paths.certificate} cannot be used as a certificate in PEM`);
  check({ key }, `key: ${paths.key} cannot be used as a private key in PEM without a passphrase`);
  check({ cert, key }, `key: ${paths.key} cannot be used with ${paths.certificate}`);
  return { certificate: cert, key };
}

function check(context: SecureContextOptions, fault: string): void {
  try {
    createSecureContext(context);
  } catch (cause) {
    throw new Error(`server.tls.${fault}: ${(cause as Error).message}`, { cause });
  }
}
