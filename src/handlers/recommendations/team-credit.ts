/** Credits clicks on interleaved lists to the team of the item, as an exposure of the device. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { isClick, isSearchClick } from '../../events/meaning.ts';
import type { ServedCalls } from '../../events/served-calls.ts';
import { exposureOf, type ServedExperiment } from '../../ranking/lists/person/treatment.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import type { EventRow } from '../../repository/event-row.ts';
import { itemsOf } from '../lists/kept-items.ts';
import { listRowOf } from '../lists/list-key.ts';
import type { ListStore } from '../lists/list-store.ts';
import { findStoredLists, listLifetimeMs } from './gather-ingredients.ts';

/** Clicks whose lists are read at once; further ones are not credited. */
const mostReading = 100;

export type TeamCreditOptions = {
  listStore: Pick<ListStore, 'findRow'>;
  settingsOf(environment: string): EnvironmentSettings | undefined;
  experimentsOf(environment: string): readonly ServedExperiment[];
  servedCalls: Pick<ServedCalls, 'expose'>;
  logger: Parameters<typeof createSparingWarning>[0];
};

/** Returns a function that takes stored events. A list is read only while an interleaved experiment runs. */
export function createTeamCredit(options: TeamCreditOptions): (event: EventRow) => void {
  const { listStore, settingsOf, experimentsOf, servedCalls, logger } = options;
  const warn = createSparingWarning(logger, 'Clicks on interleaved lists could not be credited.');
  let reading = 0;
  const readLists = async ({ environment, requestId, eventType }: EventRow) => {
    const settings = settingsOf(environment)!;
    if (!isSearchClick(eventType)) return findStoredLists(listStore, settings, requestId!);
    const list = await listStore.findRow(environment, listRowOf(requestId!, 0), listLifetimeMs(settings));
    return list?.kind === 'search' ? [list] : undefined;
  };
  const credit = async (event: EventRow): Promise<void> => {
    const { environment, requestId, itemId, deviceId } = event;
    const lists = await readLists(event);
    for (const [place, list] of lists?.entries() ?? []) {
      if (!list?.teams || list.deviceId !== deviceId) continue;
      const clicked = itemsOf(list).find((item) => item.itemId === itemId && item.team);
      if (!clicked) continue;
      const version = exposureOf(list.teams.experimentId, clicked.team!);
      /** In place of the user group, so that every list counts once. */
      servedCalls.expose({ environment, deviceId, version, userGroup: listRowOf(requestId!, place) });
    }
  };
  return (event) => {
    const { environment, robot, eventType, requestId, itemId } = event;
    if (robot || !requestId || itemId === undefined || !isClick(eventType)) return;
    if (!experimentsOf(environment).some(({ interleaved }) => interleaved) || reading >= mostReading) return;
    reading += 1;
    void credit(event)
      .catch((error: Error) => warn({ reason: error.message }))
      .finally(() => {
        reading -= 1;
      });
  };
}
