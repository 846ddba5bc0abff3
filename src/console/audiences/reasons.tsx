import { useQuery } from '@connectrpc/connect-query';
import { Stack, Text } from '@mantine/core';
import type {
  AudienceRequest,
  AudienceScorePart,
  AudienceUser,
} from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { formatCount, formatCounted, formatNumber } from '../kit/format.ts';
import { useItems } from '../kit/items.ts';
import { ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import classes from './audiences.module.css';

const mostShown = 6;

const exclusions: Record<string, string> = {
  unknown: 'Has no stored data any more.',
  opted_out: 'Has opted out since.',
  bought: 'Has bought a promoted item since.',
  mailed: 'Was contacted since.',
  not_in_configuration: 'Does not match the rule set.',
  held_out: 'Is in the control group.',
  no_interest: 'Has no activity that shows interest.',
};

const evidence = {
  own: 'promoted item',
  coVisits: 'often seen together with promoted items',
  content: 'similar to promoted items',
  activity: 'general activity',
};

/** Activity that shows a member's interest, evaluated now. */
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
  if (!data?.explanation) return <Loading h={80} m="md" />;
  const { excluded, rank } = data.explanation;
  return (
    <Stack gap={6} className={classes.reasons}>
      <Hint>
        {excluded ? (exclusions[excluded] ?? excluded) : `Now ranked ${formatCount(rank)}, because of:`}
      </Hint>
      {parts.map((part) => (
        <Text key={part.itemType + part.itemId} size="sm">
          <span className="numbers">{formatNumber(part.score)}</span>{' '}
          <bdi>{lookUp(part)?.title ?? part.itemId}</bdi>
          <span className="quiet">
            {' '}
            · {formatCounted(part.eventCount, 'event')} · {evidence[strongestOf(part)]}
          </span>
        </Text>
      ))}
    </Stack>
  );
}

const strongestOf = (part: AudienceScorePart) =>
  (['own', 'coVisits', 'content', 'activity'] as const).reduce((best, kind) =>
    part[kind] > part[best] ? kind : best,
  );
