/** Operations of BlockedQueryService. */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { BlockedQueryService } from '../../../gen/es/personalisation/v1/blocked_query_service_pb.js';
import { blockable } from '../../ranking/search/suggestions/suggestible.ts';
import type { Database } from '../../repository/database.ts';
import { findBlockedQueries, saveBlockedQueries } from '../../repository/search/blocked-queries.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import type { PopularQueries } from './replica/popular-queries.ts';

export type BlockedQueryHandlersOptions = { db: Database; popularQueries: Pick<PopularQueries, 'refresh'> };

export function createBlockedQueryHandlers({ db, popularQueries }: BlockedQueryHandlersOptions) {
  return implement(BlockedQueryService, {
    async getBlockedQueries({ environment }) {
      const { updatedAt, ...blocked } = (await findBlockedQueries(db, environment)) ?? {
        phrases: [],
        revision: 0,
      };
      return {
        blockedQueries: { ...blocked, updateTime: updatedAt && timestampFromDate(updatedAt) },
      };
    },
    async putBlockedQueries({ environment, blockedQueries, expectedRevision }, call) {
      const { phrases } = blockedQueries!;
      refuse(
        phrases.flatMap((phrase, i) =>
          blockable(phrase) ? [] : [{ pointer: `/phrases/${i}`, detail: 'Must have a letter or digit.' }],
        ),
      );
      const write = { environment, phrases, expectedRevision, ...actorOf(call) };
      const revision = await saveBlockedQueries(db, write);
      await popularQueries.refresh();
      return { revision };
    },
  });
}
