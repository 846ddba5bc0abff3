import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { useRead } from './queries.ts';

const mostAudiences = 1_000;

/** Properties of a field that offers the audiences; deleted ones among the chosen IDs have no name. */
export function useAudiences(chosen: readonly string[]) {
  const { can } = useConsole();
  const { data, error } = useRead(
    AudienceService.method.listAudiences,
    { pageSize: mostAudiences },
    { enabled: can('audiences') },
  );
  const names = new Map(chosen.map((id) => [id, id]));
  for (const { audienceId, audienceName } of data?.audiences ?? []) names.set(audienceId, audienceName);
  return {
    data: Array.from(names, ([value, label]) => ({ value, label: label || value })),
    error: error?.rawMessage,
    nothingFoundMessage: data && !error ? t('No audience yet.') : undefined,
    searchable: true,
  };
}
