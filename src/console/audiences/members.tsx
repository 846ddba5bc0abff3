import { useQuery } from '@connectrpc/connect-query';
import { Box, Button, Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  Audience,
  AudienceRequest,
  AudienceScorePart,
  AudienceUser,
} from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { formatCount, formatCounted, formatNumber } from '../kit/format.ts';
import { ChevronDown, ChevronRight, Users } from '../kit/icons.ts';
import { useItems } from '../kit/items.ts';
import { Empty, ErrorNotice, Heading, Hint, Loading } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import classes from './audiences.module.css';

const pageSize = 20;
const title = t('Most interested');

/** First members of an audience; opening one shows the reasons. */
export function Members({ audience, request }: { audience: Audience; request?: AudienceRequest }) {
  const { environment, can } = useConsole();
  const [limit, setLimit] = useState(pageSize);
  const [open, setOpen] = useState<string>();
  const { audienceId, audienceSize } = audience;
  const { data, error, refetch, isFetching } = useQuery(
    AudienceService.method.getAudience,
    { environment: environment.name, audienceId, limit },
    { placeholderData: keepPreviousData },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const users = data?.audience?.users;
  if (!users) return <Loading h={300} />;
  if (users.length === 0)
    return (
      <Empty icon={Users} title={t('The audience is empty')}>
        {t(
          'No one has shown interest in these items, or exclusions remove everyone. Promote more items or exclude fewer people.',
        )}
      </Empty>
    );
  const explained = can('explanations') ? request : undefined;
  return (
    <section aria-label={title}>
      <Heading title={title} lead={t('An average person scores 1. Open a person to see the reasons.')} />
      <Paper style={{ overflow: 'hidden' }}>
        <ul className={classes.rows}>
          {users.map((user) => (
            <li key={user.userType + user.id}>
              <MemberRow
                user={user}
                best={users[0].score}
                isOpen={open === user.id}
                onToggle={explained && (() => setOpen(open === user.id ? undefined : user.id))}
              />
              {explained && open === user.id && <Reasons user={user} request={explained} />}
            </li>
          ))}
        </ul>
      </Paper>
      <Group justify="space-between" mt="sm">
        <Hint>
          {t('{shown} of {total}', {
            shown: formatCount(users.length),
            total: formatCount(audienceSize),
          })}
        </Hint>
        {users.length < audienceSize && (
          <Button variant="default" size="xs" loading={isFetching} onClick={() => setLimit(limit * 3)}>
            {t('Load more')}
          </Button>
        )}
      </Group>
    </section>
  );
}

type MemberRowProps = { user: AudienceUser; best: number; isOpen: boolean; onToggle?(): void };

function MemberRow({ user: { id, userType, score }, best, isOpen, onToggle }: MemberRowProps) {
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  const width = `${(100 * score) / Math.max(best, Number.MIN_VALUE)}%`;
  return (
    <UnstyledButton
      className={classes.row}
      onClick={onToggle}
      disabled={!onToggle}
      aria-expanded={onToggle && isOpen}
    >
      <Arrow size={15} className="quiet" aria-hidden />
      <Text size="sm" className="mark" flex={1} miw={0}>
        <bdi>{id}</bdi>
        {userType === 'device_id' && <span className="quiet"> {t('device')}</span>}
      </Text>
      <Box className={classes.track}>
        <Box className={classes.bar} style={{ width }} />
      </Box>
      <Text size="sm" className="numbers" w={60} ta="end">
        {formatNumber(score)}
      </Text>
    </UnstyledButton>
  );
}

const mostShown = 6;

const exclusions: Record<string, string> = {
  unknown: t('Has no stored data any more.'),
  opted_out: t('Has opted out since.'),
  bought: t('Has bought a promoted item since.'),
  mailed: t('Was contacted since.'),
  not_in_configuration: t('Does not match the rule set.'),
  held_out: t('Is in the control group.'),
  no_interest: t('Has no activity that shows interest.'),
};

const evidence = {
  own: t('promoted item'),
  coVisits: t('often seen together with promoted items'),
  content: t('similar to promoted items'),
  activity: t('general activity'),
};

/** Activity that shows a member's interest, evaluated now. */
function Reasons({ user, request }: { user: AudienceUser; request: AudienceRequest }) {
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
        {excluded
          ? (exclusions[excluded] ?? excluded)
          : t('Now ranked {rank}, because of:', { rank: formatCount(rank) })}
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
