/** Explains answers as visitors would get them, without storing or counting anything. */

import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import type { History } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import type { Deployment } from '../../deployment/deployment.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { createConfigurationCheck } from '../configurations/configuration-check.ts';
import { activeDraft } from '../configurations/previewed-drafts.ts';
import { checkHistories } from '../messages/request-size.ts';
import { readSubjectIds } from '../messages/subject-ids.ts';
import { checkRequest, toHistories, toRequest } from '../recommendations/recommendation-request.ts';
import { answerMessage, explanationMessage, outcomeMessage } from '../recommendations/recommendations.ts';
import { checkFields, shownOf } from '../recommendations/shown-items.ts';
import { readFilters, readSearch } from '../searches/read-search.ts';
import { completionMessage, resultsMessage } from '../searches/search-messages.ts';
import type { SearchPipeline } from '../searches/search-pipeline.ts';
import type { Preview } from './preview.ts';

/** A person waits for a preview, so it may take longer than a page. */
const patienceMs = 10_000;

export type PreviewHandlersOptions = {
  deployment: Deployment;
  environments: ReadonlyMap<string, ServingEnvironment>;
  configurations: Pick<ActiveConfigurations, 'find'>;
  preview: Preview;
  searches: SearchPipeline;
};

type PreviewSubject = { deviceId?: string; userId?: string; histories: Record<string, History> };

export function createPreviewHandlers(options: PreviewHandlersOptions) {
  const { deployment, environments, configurations, preview, searches } = options;
  const check = createConfigurationCheck(deployment);
  const { limits } = deployment;

  const activeDrafts = (drafts: readonly Configuration[]) =>
    new Map(drafts.map((draft) => [draft.configurationId ?? '', activeDraft(draft, check)]));

  return implement(PreviewService, {
    async previewRecommendations({ environment, request, drafts, whyNot }, call) {
      const serving = environments.get(environment)!;
      refuse(checkRequest(request!, serving.settings, limits));
      const patient = { ...request!, timeoutMs: request!.timeoutMs ?? patienceMs };
      const asked = { ...toRequest(serving.settings, patient, call, false), explain: { whyNot } };
      const byId = activeDrafts(drafts);
      const find = (id: string) => byId.get(id) ?? configurations.find(id, environment);
      const answer = await preview(asked, byId);
      return {
        recommendations: answerMessage(answer, shownOf(serving, request!.fields, call)),
        outcomes: answer.lists.map((list) => outcomeMessage(list, serving.settings, find)),
        explanations: answer.lists.flatMap(explanationMessage),
      };
    },
    async previewSearch({ environment, request, whyNot, drafts }, call) {
      const serving = environments.get(environment)!;
      const { asked, violations } = readSearch(request!, serving, limits);
      refuse(violations);
      const answer = await searches.search({
        ...searcherOf(serving, request!, call),
        ...asked,
        explain: { whyNot },
        drafts: activeDrafts(drafts),
        doNotStore: true,
      });
      return {
        results: resultsMessage(answer, asked, shownOf(serving, asked.fields, call)),
        explanation: answer.explanation,
      };
    },
    async previewCompletions({ environment, request }, call) {
      const serving = environments.get(environment)!;
      const { q = '', fuzziness = 0, filterBy } = request!;
      const { filters, violations } = readFilters(filterBy, serving.settings);
      refuse([
        ...violations,
        ...checkFields(request!.fields, serving.settings),
        ...checkHistories(request!.histories, limits),
      ]);
      const answer = await searches.complete({
        ...searcherOf(serving, request!, call),
        q,
        fuzziness,
        filters,
        doNotStore: true,
      });
      return {
        completion: completionMessage(answer, shownOf(serving, request!.fields, call)),
      };
    },
  });
}

function searcherOf({ settings }: ServingEnvironment, subject: PreviewSubject, call: Call) {
  const { deviceId, userId } = readSubjectIds(subject, settings);
  return {
    environment: settings.name,
    deviceId: deviceId || undefined,
    userId,
    histories: toHistories(subject.histories),
    isRobot: false,
    deadlineMs: Math.min(performance.now() + patienceMs, call.deadlineMs ?? Number.POSITIVE_INFINITY),
  };
}
