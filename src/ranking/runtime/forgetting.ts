/** Forgetting deleted subjects in the memory of a process. */

/** @param subject `u:USER` or `d:DEVICE`. */
type IsGone = (environment: string, subject: string) => boolean;

export type Forget = (isGone: IsGone) => void;

/** The functions by which the caches and buffers of a process forget subjects. */
export type Forgetting = Set<Forget>;

/** For buffers of subjects' data, so that deleted subjects are not written later. */
export type HoldingPeople = {
  /** Forgets all subjects that were deleted before the call; to be awaited before each write. */
  forgetDeleted(): Promise<void>;
  forgetting: Forgetting;
};

/** Tells whether the user or the device is deleted. */
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
