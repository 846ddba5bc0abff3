/** Explained search, as a visitor would get it. The service stores and counts nothing. */

import type { JsonObject } from '@bufbuild/protobuf';
import { keepPreviousData } from '@tanstack/react-query';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { useRead } from '../kit/queries.ts';

const shownCount = 20;
const valuesOfFacet = 12;

type SearchSetup = {
  q: string;
  visitor?: { deviceId?: string; userId?: string };
  page?: { pageType?: string; category?: string; language?: string };
  drafts?: Configuration[];
  /** Properties to count values of, and the picked values. */
  facets?: readonly string[];
  picks?: JsonObject;
};

export const anonymous = 'anonymous';

export function useSearchPreview(
  { q, visitor, page, drafts = [], facets = [], picks }: SearchSetup,
  isEnabled = true,
) {
  return useRead(
    PreviewService.method.previewSearch,
    {
      request: {
        q,
        pageType: page?.pageType || 'search',
        language: page?.language || undefined,
        filterBy: page?.category ? { categories: page.category } : undefined,
        deviceId: visitor?.deviceId || anonymous,
        userId: visitor?.userId || undefined,
        limit: shownCount,
        listSize: shownCount,
        facets: facets.map((key) => ({ key, limit: valuesOfFacet })),
        facetFilters: picks && Object.keys(picks).length > 0 ? picks : undefined,
      },
      drafts,
    },
    { enabled: isEnabled && (q.trim() !== '' || Boolean(page?.category)), placeholderData: keepPreviousData },
  );
}
