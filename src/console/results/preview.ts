/** A search as somebody would get it, explained, of which nothing is kept. */

import type { JsonObject } from '@bufbuild/protobuf';
import { useQuery } from '@connectrpc/connect-query';
import { keepPreviousData } from '@tanstack/react-query';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { useConsole } from '../service/console-context.ts';

const shownCount = 20;
const valuesOfFacet = 12;

export type Tried = {
  q: string;
  who?: { deviceId?: string; userId?: string };
  /** Page type, category and language of the search. */
  page?: { pageType?: string; category?: string; language?: string };
  drafts?: Configuration[];
  /** Keys whose values are counted, and what is picked of them. */
  facets?: readonly string[];
  picks?: JsonObject;
};

export const anonymous = 'anonymous';

export function useSearchPreview({ q, who, page, drafts = [], facets = [], picks }: Tried, isEnabled = true) {
  const { environment } = useConsole();
  return useQuery(
    PreviewService.method.previewSearch,
    {
      environment: environment.name,
      request: {
        q,
        pageType: page?.pageType || 'search',
        language: page?.language || undefined,
        filterBy: page?.category ? { categories: page.category } : undefined,
        deviceId: who?.deviceId || anonymous,
        userId: who?.userId || undefined,
        limit: shownCount,
        listSize: shownCount,
        facets: facets.map((key) => ({ key, limit: valuesOfFacet })),
        facetFilters: picks && Object.keys(picks).length > 0 ? picks : undefined,
      },
      drafts,
    },
    { enabled: isEnabled && q.trim() !== '', placeholderData: keepPreviousData },
  );
}
