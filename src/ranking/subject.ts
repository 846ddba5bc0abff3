/** The user or device that a request or event is about. */

export type SubjectKind = 'user' | 'device';

/** The device ID of visitors without consent: no history is kept for it, and it counts as no visitor. */
export const anonymousDevice = 'anonymous';

/** Whether an ID distinguishes its device from others. */
export function isIdentified(deviceId: string | undefined): deviceId is string {
  return deviceId !== undefined && deviceId !== '' && deviceId !== anonymousDevice;
}

export type Subject = { kind: SubjectKind; id: string };

/** Formats a subject as tables and feeds hold it: `u:USER` or `d:DEVICE`. */
export function formatSubject({ kind, id }: Subject): string {
  return `${kind[0]}:${id}`;
}

/** Parses what `formatSubject` returned. */
export function parseSubject(text: string): Subject {
  return { kind: text.startsWith('u:') ? 'user' : 'device', id: text.slice(2) };
}
