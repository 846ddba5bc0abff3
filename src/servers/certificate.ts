/** The certificate of the ports, and its key, as the deployment file names them. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../ranking/runtime/periodic.ts';

export type Certificate = { certificate: Buffer; key: Buffer };

type Paths = { certificate: string; key: string };

/** What connections begin with; those that are open keep what they began with. */
export type CertificateSource = {
  readonly current: Certificate;
  onRenewal(take: (renewed: Certificate) => void): void;
};

export type FollowedCertificate = CertificateSource & Pick<Periodic, 'start' | 'run' | 'stop'>;

/** Certificates are good for weeks: whoever renews one writes its files again, and restarts nothing. */
const lookEveryMs = 10_000;

/** Reads the files again and again. What cannot be used is told once, and not taken. */
export function followCertificate(paths: Paths, logger: Logger): FollowedCertificate {
  const takers: ((renewed: Certificate) => void)[] = [];
  let current = readCertificate(paths);
  const look = async () => {
    const { certificate, key } = readCertificate(paths);
    if (certificate.equals(current.certificate) && key.equals(current.key)) return;
    current = { certificate, key };
    for (const take of takers) take(current);
    const { validTo } = new X509Certificate(certificate);
    logger.info({ valid_to: validTo }, 'The ports use the certificate that was renewed.');
  };
  const complaint = 'The certificate cannot be read again; the ports go on with the one before.';
  const { start, run, stop } = createPeriodic({ work: look, pauseMs: lookEveryMs, complaint, logger });
  return {
    get current() {
      return current;
    },
    onRenewal: (take) => void takers.push(take),
    start,
    run,
    stop,
  };
}

/** @throws Error that names the file which cannot be used; the library's own says neither which nor what for. */
export function readCertificate(paths: Paths): Certificate {
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
