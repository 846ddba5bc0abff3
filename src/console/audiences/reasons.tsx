import { useQuery } from '@connectrpc/connect-query';
import { Skeleton, Stack, Text } from '@mantine/core';
import type {
  AudienceRequest,
  AudienceScorePart,
  AudienceUser,
} from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatCount, formatCounted, formatNumber } from '../kit/format.ts';
import { useItems } from '../kit/items.ts';
import { useConsole } from '../service/console-context.ts';
import classes from './audiences.module.css';
import { text } from './text.ts';

const mostShown = 6;

/** What somebody did that brought them into the audience, as it would be now. */
export function Reasons({ user, request }: { user: AudienceUser; request: AudienceRequest }) {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(AudienceService.method.explainAudienceUser, {
    environment: environment.name,
    audience: request,
    id: user.id,
    userType: user.userType,
  });
  const parts = data?.explanation?.parts.slice(0, mostShown) ?? [];
  const lookUp = useItems(parts.map(({ itemId }) => itemId));
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data?.explanation) return <Skeleton h={80} m="md" role="status" aria-label="Loading" />;
  const { excluded, rank } = data.explanation;
  return (
    <Stack gap={6} className={classes.reasons}>
      <Text size="xs" className="quiet">
        {excluded ? (text.excluded[excluded] ?? excluded) : text.rank(formatCount(rank))}
      </Text>
      {parts.map((part) => (
        <Text key={part.itemType + part.itemId} size="sm">
          <span className="numbers">{formatNumber(part.score)}</span>{' '}
          <bdi>{lookUp(part)?.title ?? part.itemId}</bdi>
          <span className="quiet">
            {' '}
            · {formatCounted(part.eventCount, 'event')} · {strongestOf(part)}
          </span>
        </Text>
      ))}
    </Stack>
  );
}

function strongestOf(part: AudienceScorePart): string {
  const kinds = ['own', 'coVisits', 'content', 'activity'] as const;
  const strongest = kinds.reduce((best, kind) => (part[kind] > part[best] ? kind : best));
  return text.evidence[strongest];
}
