/** Sends changes as e-mail to the recipients of the deployment file. */

import { createTransport } from 'nodemailer';
import type { Deployment } from '../../deployment/deployment.ts';
import type { WebhookDelivery } from '../../repository/changes/webhooks.ts';
import type { SendWebhook } from './send-webhook.ts';

type SmtpSettings = NonNullable<Deployment['smtp']>;

/** For the connection, the greeting and each answer of the server. */
const timeoutMs = 10_000;
/** Characters of a stored error, and of a subject. */
const longestError = 300;
const longestSubject = 200;

/** The address of a webhook whose receiver is the mail server. */
export const mailScheme = 'mailto:';
export const mailAddressOf = ({ to }: Pick<SmtpSettings, 'to'>): string => mailScheme + to.join(',');

export type SendMailOptions = { smtp: SmtpSettings; clock: () => number };

/** Never rejects: a failure is part of the delivery. Repeated messages have the same Message-ID. */
export function createSendMail({ smtp, clock }: SendMailOptions): SendWebhook {
  const { host, port, user, from, to } = smtp;
  return async ({ changeId, kind, body }, signal) => {
    const attemptedAtMs = clock();
    const startMs = performance.now();
    const transport = createTransport({
      ...{ host, port, secure: port === 465, requireTLS: user !== undefined },
      ...(user && { auth: { user: user.name, pass: user.password } }),
      ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    const close = () => transport.close();
    signal?.addEventListener('abort', close);
    const messageId = `<${changeId}@${from.split('@')[1]}>`;
    const sent = transport.sendMail({ from, to: [...to], messageId, ...mailOf(kind, body) });
    const error = await sent.then(
      () => undefined,
      (failure: Error) => failure.message.slice(0, longestError),
    );
    signal?.removeEventListener('abort', close);
    close();
    const durationMs = Math.round(performance.now() - startMs);
    const delivery: WebhookDelivery = { changeId, kind, attemptedAtMs, durationMs };
    return error === undefined ? delivery : { ...delivery, error };
  };
}

type MailData = Partial<Record<'placement' | 'metric' | 'file_name', string>> &
  Partial<Record<'expected' | 'observed' | 'rejected_count', number>>;

/** @param body A CloudEvent in JSON. */
function mailOf(kind: string, body: string): { subject: string; text: string } {
  const { source, time, data } = JSON.parse(body) as { source: string; time: string; data: MailData };
  const environment = source.slice(1);
  const { placement, expected, observed, file_name: file, rejected_count: rejectedCount } = data;
  const metric = file === undefined ? (data.metric ?? kind) : `import of ${file}`;
  const about = placement ? `${metric} of ${placement}` : metric;
  const state = kind === 'alert.resolved' ? 'Resolved' : 'Alert';
  const lines = [
    `Environment: ${environment}`,
    ...(placement ? [`Placement: ${placement}`] : []),
    file === undefined ? `Metric: ${metric}` : `File: ${file}`,
    ...(rejectedCount === undefined ? [] : [`Rejected records: ${rejectedCount}`]),
    ...(expected === undefined ? [] : [`Usual value: ${rounded(expected)}`]),
    ...(observed === undefined ? [] : [`Observed value: ${rounded(observed)}`]),
    `Time: ${time}`,
  ];
  const subject = `[${environment}] ${state}: ${about}`.replace(/\s+/g, ' ').slice(0, longestSubject);
  return { subject, text: `${lines.join('\n')}\n` };
}

const rounded = (value: number) => Number(value.toPrecision(4));
