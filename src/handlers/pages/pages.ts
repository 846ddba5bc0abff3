/** Composed pages: rows of lists, chosen and ordered for a subject, and the segments they can be of. */

import {
  type ListSegmentsRequest,
  type PageRequest,
  PageService,
  type RowSource,
} from '../../../gen/es/personalisation/v1/page_service_pb.js';
import { checkVariables } from '../../deployment/request-lists.ts';
import { DomainError } from '../../errors.ts';
import type { HistoryReader } from '../../events/histories/history-reader.ts';
import type { ListRequest, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import { createScorer } from '../../ranking/models/blend.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { wantsMore } from '../chain/explanations.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { withConsent } from '../messages/consent.ts';
import { readSubjectIds } from '../messages/subject-ids.ts';
import { holdsTexts } from '../messages/values.ts';
import { toRequest } from '../recommendations/recommendation-request.ts';
import {
  explanationMessage,
  listMessage,
  type RecommendationHandlersOptions,
  servedCall,
} from '../recommendations/recommendations.ts';
import { checkFields, shownOf } from '../recommendations/shown-items.ts';
import { candidateRows, type SourcePlan, segmentsLike, segmentsOf } from './candidate-rows.ts';
import { checkRows, messageOf, usual } from './page-request.ts';
import { createStoredPageMethods, type StoredPageOptions, withStoredPage } from './stored-pages.ts';
import { segmentOf, titleOf } from './titles.ts';

export type PageHandlersOptions = Pick<
  RecommendationHandlersOptions,
  'pipeline' | 'environments' | 'limits' | 'agents' | 'servedCalls' | 'logger' | 'clock'
> &
  Omit<StoredPageOptions, 'warn'> & { readHistory: HistoryReader };

export function createPageHandlers(options: PageHandlersOptions) {
  const { pipeline, environments, pages, limits, agents, servedCalls, logger } = options;
  const warn = createSparingWarning(logger, 'A page request has a value that is not registered.');

  return implement(PageService, {
    ...createStoredPageMethods({ ...options, warn }),
    async createPage({ environment, request, explain }, call) {
      const serving = environments.get(environment)!;
      const given = withStoredPage(request!, (pageId) => pages.find(environment, pageId));
      const { settings } = serving;
      const lists = given.rows.map(({ listName }) => ({ listName }));
      const asked = withConsent(
        { ...given, lists, histories: {}, userGroup: undefined, version: undefined },
        settings,
        call,
      );
      const message = messageOf(asked);
      refuse([
        ...checkRows(given, message, settings, { limits, warn }),
        ...checkVariables(message, limits.variableBytes),
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
        const served = servedCall(settings, message, answer, isRobot);
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

function notTexts(property: string): DomainError {
  const detail = 'Must be categories or a declared property of strings.';
  return new DomainError('PARAMETER_INVALID', detail, {
    metadata: { property },
    violations: [{ pointer: 'query:property', detail }],
  });
}
