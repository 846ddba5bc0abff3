/** Reads the IDs of requests; a placeholder such as `undefined` means an unknown visitor. */

import { type EnvironmentSettings, isPlaceholder } from '../../deployment/deployment.ts';
import { anonymousDevice } from '../../ranking/subject.ts';

type SubjectIds = { deviceId?: string; userId?: string };

/** Returns the IDs without placeholders: no user, and the device `anonymous`. */
export function readSubjectIds<Ids extends SubjectIds>(
  { deviceId, userId }: Ids,
  { placeholderIds }: Pick<EnvironmentSettings, 'placeholderIds'>,
): Pick<Ids, 'deviceId'> & { userId?: string } {
  const isUnknown = (id: string | undefined) => !!id && isPlaceholder(placeholderIds, id);
  return {
    deviceId: isUnknown(deviceId) ? anonymousDevice : deviceId,
    userId: !userId || isUnknown(userId) ? undefined : userId,
  };
}
