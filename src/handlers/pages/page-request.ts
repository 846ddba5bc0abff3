/** Converts page requests into requests for lists, and checks their rows. */

import { create } from '@bufbuild/protobuf';
import type { PageRequest } from '../../../gen/es/personalisation/v1/page_service_pb.js';
import {
  type RecommendationRequest,
  RecommendationRequestSchema,
} from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import type { EnvironmentSettings, LimitSettings } from '../../deployment/deployment.ts';
import { checkRegistries } from '../../deployment/registered-values.ts';
import { checkLists } from '../../deployment/request-lists.ts';
import type { Violation } from '../../errors.ts';
import { checkListSizes } from '../messages/request-size.ts';
import { holdsTexts } from '../messages/values.ts';
import { mostCandidates, viewedItem } from './candidate-rows.ts';

export const usual = { maximumRows: 10, rowsOfSource: 3, listSize: 10, segments: 20 };

/** Candidate rows of a page. */
const mostRows = 100;

type Identity = Partial<Pick<RecommendationRequest, 'userGroup' | 'version'>>;

/** Converts a page request into a request with one list for each source. */
export function messageOf({
  rows,
  ...page
}: Partial<Omit<PageRequest, '$typeName'>> & Pick<PageRequest, 'rows'> & Identity) {
  const { deviceId, userId, pageType, channel, timeoutMs, doNotStore, fields, variables, profiling } = page;
  const { userGroup, version } = page;
  return create(RecommendationRequestSchema, {
    ...{ deviceId, userId, pageType, channel, timeoutMs, doNotStore, fields, variables, profiling },
    ...{ userGroup, version },
    lists: rows.map(({ listName, configurationId, listSize = usual.listSize, limit, purpose }) => ({
      ...{ listName, configurationId, listSize, limit, purpose },
    })),
  });
}

/** Checks the sources of rows; `message` has their lists. */
export function checkRows(
  { rows }: Pick<PageRequest, 'rows'>,
  message: RecommendationRequest,
  settings: EnvironmentSettings,
  { limits, warn }: { limits: LimitSettings; warn(finding: object): void },
): Violation[] {
  return [
    ...checkLists(message.lists).map(atRows),
    ...checkSources(rows, settings, limits),
    ...checkRegistries(message, settings, warn).map(atRows),
  ];
}

/** The lists of the message are the rows of the page request. */
const atRows = ({ pointer, detail }: Violation): Violation => ({
  pointer: pointer.replace(/^\/lists\//, '/rows/'),
  detail,
});

function checkSources(
  rows: PageRequest['rows'],
  settings: EnvironmentSettings,
  limits: LimitSettings,
): Violation[] {
  const violations = rows.flatMap(({ forEach }, place) =>
    forEach === undefined || forEach === viewedItem || holdsTexts(forEach, settings)
      ? []
      : [
          {
            pointer: `/rows/${place}/for_each`,
            detail: 'Must be viewed_item, categories or a declared property of strings.',
          },
        ],
  );
  const candidates = rows.flatMap(
    ({ forEach, maximumRows = usual.rowsOfSource, listSize = usual.listSize }) =>
      Array.from({ length: mostCandidates({ forEach, maximumRows }) }, () => ({ listSize })),
  );
  violations.push(...checkListSizes(candidates, limits).map(({ detail }) => ({ pointer: '/rows', detail })));
  if (candidates.length > mostRows)
    violations.push({
      pointer: '/rows',
      detail: `Asks for ${candidates.length} candidate rows. At most ${mostRows} are allowed.`,
    });
  return violations;
}
