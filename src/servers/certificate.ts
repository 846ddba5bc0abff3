/** The certificate and key of the ports, which the deployment file names. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../ranking/runtime/periodic.ts';

export type Certificate = { certificate: Buffer; key: Buffer };

type Paths = { certificate: string; key: string };

/** The certificate for new connections; open connections keep theirs. */
export type CertificateSource = {
  readonly current: Certificate;
  onRenewal(take: (renewed: Certificate) => void): void;
};

export type FollowedCertificate = CertificateSource & Pick<Periodic, 'start' | 'run' | 'stop'>;

/** A renewed certificate is loaded from the same files, without a restart. */
const reloadIntervalMs = 10_000;

/** Reloads the files periodically. Unusable files are logged once and ignored. */
export function followCertificate(paths: Paths, logger: Logger): FollowedCertificate {
  const takers: ((renewed: Certificate) => void)[] = [];
  let current = readCertificate(paths);
  const reload = async () => {
    const { certificate, key } = readCertificate(paths);
    if (certificate.equals(current.certificate) && key.equals(current.key)) return;
    current = { certificate, key };
    for (const take of takers) take(current);
    const { validTo } = new X509Certificate(certificate);
    logger.info({ valid_to: validTo }, 'The ports use the renewed certificate.');
  };
  const complaint = 'The certificate cannot be reloaded; the ports keep the previous one.';
  const { start, run, stop } = createPeriodic({ work: reload, pauseMs: reloadIntervalMs, complaint, logger });
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

/** @throws Error that names the unusable file and its setting. */
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
