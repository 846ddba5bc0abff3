/** What a process remembers of people, it can forget. */

/** @param subject `u:USER` or `d:DEVICE`. */
export type IsGone = (environment: string, subject: string) => boolean;

export type Forget = (isGone: IsGone) => void;

/** Whoever remembers people enters here how it forgets them. */
export type Forgetting = Set<Forget>;

/** What a process holds of people and writes later is written without those who were deleted meanwhile. */
export type HoldingPeople = {
  /** Has whoever entered forget those that were deleted before the call; to be awaited before each write. */
  forgetDeleted(): Promise<void>;
  forgetting: Forgetting;
};

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
