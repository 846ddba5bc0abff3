/** Composed pages: rows of lists, chosen and ordered for a subject, and the segments they can be of. */

import { create } from '@bufbuild/protobuf';
import {
  type ListSegmentsRequest,
  type PageRequest,
  PageService,
  type RowSource,
} from '../../../gen/es/personalisation/v1/page_service_pb.js';
import { RecommendationRequestSchema } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import type { EnvironmentSettings, LimitSettings } from '../../deployment/deployment.ts';
import { checkRegistries } from '../../deployment/registered-values.ts';
import { checkLists, checkVariables } from '../../deployment/request-lists.ts';
import { DomainError, type Violation } from '../../errors.ts';
import type { HistoryReader } from '../../events/histories/history-reader.ts';
import type { ListRequest, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import { createScorer } from '../../ranking/models/blend.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { wantsMore } from '../chain/explanations.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { withConsent } from '../messages/consent.ts';
import { checkListSizes } from '../messages/request-size.ts';
import { readSubjectIds } from '../messages/subject-ids.ts';
import { toRequest } from '../recommendations/recommendation-request.ts';
import {
  explanationMessage,
  listMessage,
  type RecommendationHandlersOptions,
  servedCall,
} from '../recommendations/recommendations.ts';
import { checkFields, shownOf } from '../recommendations/shown-items.ts';
import {
  candidateRows,
  mostCandidates,
  type SourcePlan,
  segmentsLike,
  segmentsOf,
  viewedItem,
} from './candidate-rows.ts';
import { segmentOf, titleOf } from './titles.ts';

export type PageHandlersOptions = Pick<
  RecommendationHandlersOptions,
  'pipeline' | 'environments' | 'limits' | 'agents' | 'servedCalls' | 'logger' | 'clock'
> & { readHistory: HistoryReader };

const usual = { maximumRows: 10, rowsOfSource: 3, listSize: 10, segments: 20 };

/** Candidate rows of a page. */
const mostRows = 100;

export function createPageHandlers(options: PageHandlersOptions) {
  const { pipeline, environments, limits, agents, servedCalls, logger } = options;
  const warn = createSparingWarning(logger, 'A page request has a value that is not registered.');

  return implement(PageService, {
    async createPage({ environment, request: given, explain }, call) {
      const serving = environments.get(environment)!;
      const { settings } = serving;
      const lists = given!.rows.map(({ listName }) => ({ listName }));
      const asked = withConsent(
        { ...given!, lists, histories: {}, userGroup: undefined, version: undefined },
        settings,
        call,
      );
      const message = messageOf(asked);
      refuse([
        ...checkLists(message.lists).map(atRows),
        ...checkSources(given!, settings, limits),
        ...checkVariables(message, limits.variableBytes),
        ...checkRegistries(message, settings, warn).map(atRows),
        ...checkFields(message.fields, settings),
      ]);
      const { agent, isRobot } = agents.judge(settings, call.userAgent);
      const base = toRequest(settings, message, call, isRobot);
      const sources = asked.rows.map((source, place) => planOf(source, base.lists[place], place));
      let offered: ListRequest[] = [];
      const answer = await pipeline.recommend(
        {
          ...base,
          page: rulesOf(asked, sources),
          explain: explain || wantsMore(call, environment) ? { whyNot: [] } : undefined,
        },
        (history, nowMs) => (offered = candidateRows(sources, history, serving, nowMs)),
      );
      call.stages = answer.stages;
      if (!message.doNotStore) {
        const served = servedCall(environment, message, answer, isRobot);
        servedCalls.count({ ...served, exposures: answer.exposures });
      }
      const shown = shownOf(serving, message.fields, call);
      const language = asked.language ?? settings.defaultLanguage;
      const rows = answer.lists.map((list, place) => {
        const row = offered[list.row!.place].row!;
        const items = list.items.filter(({ rank }) => rank <= list.limit);
        return {
          position: place + 1,
          title: titleOf(asked.rows[row.source], row, { language, serving }),
          segment: segmentOf(row, serving),
          gain: list.row!.gain,
          list: listMessage({ ...list, listSize: list.items.length, items }, shown),
        };
      });
      return {
        page: { ...answer, rows, agent },
        explanations: answer.lists.flatMap(explanationMessage),
        degraded: [...answer.degraded],
      };
    },
    listSegments: createListSegments(options),
  });
}

function createListSegments({ environments, readHistory, clock }: PageHandlersOptions) {
  const scorer = createScorer({ itemCount: 0 });
  return async ({ environment, property, limit = usual.segments, like, ...subject }: ListSegmentsRequest) => {
    const serving = environments.get(environment)!;
    if (!holdsTexts(property, serving.settings)) throw notTexts(property);
    if (like !== undefined) {
      const weighting = { version: '' };
      const alike = segmentsLike({ key: property, like, weighting, nowMs: clock() }, serving, scorer);
      return { segments: alike.slice(0, limit).map((one) => ({ property, ...one })) };
    }
    const deadlineMs = performance.now() + serving.settings.timeoutMs;
    const reader = { environment, ...readSubjectIds(subject, serving.settings), deadlineMs };
    const history = await readHistory(reader, false);
    const found = segmentsOf(property, history, serving, clock()).slice(0, limit);
    return { segments: found.map((value) => ({ property, value })) };
  };
}

/** Converts a page request into a request with one list for each source. */
function messageOf({ rows, ...page }: PageRequest & Parameters<typeof withConsent>[0]) {
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

/** The lists of the message are the rows of the page request. */
const atRows = ({ pointer, detail }: Violation): Violation => ({
  pointer: pointer.replace(/^\/lists\//, '/rows/'),
  detail,
});

function planOf(source: RowSource, list: ListRequest, place: number): SourcePlan {
  const { forEach, pinned, minimumItems = 1 } = source;
  const order = source.order as 'trending' | 'newest' | undefined;
  const maximumRows = forEach ? (source.maximumRows ?? usual.rowsOfSource) : 1;
  return { list: { ...list, row: { source: place, order, pinned, minimumItems } }, forEach, maximumRows };
}

function rulesOf(
  { maximumRows = usual.maximumRows, rowsPerSegment }: PageRequest,
  sources: readonly SourcePlan[],
): RecommendationRequest['page'] {
  return { maximumRows, rowsPerSegment, rowsPerSource: sources.map((source) => source.maximumRows) };
}

function checkSources(
  { rows }: PageRequest,
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

/** Whether a property has string values that items share. */
function holdsTexts(key: string, { properties }: Pick<EnvironmentSettings, 'properties'>): boolean {
  const type = properties.get(key)?.type;
  return key === 'categories' || type === 'string' || type === 'string[]';
}

function notTexts(property: string): DomainError {
  const detail = 'Must be categories or a declared property of strings.';
  return new DomainError('PARAMETER_INVALID', detail, {
    metadata: { property },
    violations: [{ pointer: 'query:property', detail }],
  });
}
