import { useQuery } from '@connectrpc/connect-query';
import { keepPreviousData } from '@tanstack/react-query';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import type { ItemName } from '../kit/item-names.ts';
import { useConsole } from '../service/console-context.ts';
import { type Setup, toRequest } from './setup.ts';

/** Explained lists of a setup, as its visitor would get them now. The service stores and counts nothing. */
export function usePreview(setup: Setup, drafts: Configuration[] = [], whyNot: ItemName[] = []) {
  const { environment } = useConsole();
  const request = toRequest(setup);
  return useQuery(
    PreviewService.method.previewRecommendations,
    { environment: environment.name, request, drafts, whyNot },
    {
      enabled: request !== undefined && setup.configurations.length > 0,
      placeholderData: keepPreviousData,
    },
  );
}
