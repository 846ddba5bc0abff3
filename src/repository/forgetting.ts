/** What a process remembers of people, it can forget. */

/** @param subject `u:USER` or `d:DEVICE`. */
export type IsGone = (environment: string, subject: string) => boolean;

export type Forget = (isGone: IsGone) => void;

/** Whoever remembers people enters here how it forgets them. */
export type Forgetting = Set<Forget>;

/** For what is remembered by a device, a user or both. */
export function isGoneFor(
  isGone: IsGone,
  environment: string,
  { userId, deviceId }: { userId?: string | null; deviceId?: string | null },
): boolean {
  return (
    (userId != null && isGone(environment, `u:${userId}`)) ||
    (deviceId != null && isGone(environment, `d:${deviceId}`))
  );
}
