import type { Smtp } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { Faults } from './checks.ts';

/** A mail server with the sender and the recipients of alerts. */
export type SmtpSettings = {
  host: string;
  port: number;
  user?: { name: string; password: string };
  from: string;
  to: readonly string[];
};

const at = '/alerts/smtp';
/** Bare addresses, so that none adds a header or a recipient. */
const address = /^[^\s,;<>"@]+@[^\s,;<>"@]+$/;

/** Reads the password from the environment of the process. */
export function convertSmtp(smtp: Smtp | undefined, fault: Faults): SmtpSettings | undefined {
  if (!smtp) return undefined;
  const { host, port = 587, user: name, passwordEnv = '', from, to } = smtp;
  for (const [pointer, text] of [['from', from], ...to.map((one, i) => [`to/${i}`, one])])
    if (!address.test(text)) fault(`${at}/${pointer}`, 'Must be an address like alerts@shop.example.');
  const password = process.env[passwordEnv];
  if (name !== undefined && !password)
    fault(`${at}/password_env`, 'Must name an environment variable with the password of the user.');
  return { host, port, from, to, ...(name !== undefined && password ? { user: { name, password } } : {}) };
}
