import { useQuery } from '@connectrpc/connect-query';
import { Box, Button, Group, Paper, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Users } from 'lucide-react';
import { useState } from 'react';
import type {
  Audience,
  AudienceRequest,
  AudienceUser,
} from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { formatCount, formatNumber } from '../kit/format.ts';
import { Empty, ErrorNotice, Heading, Hint, Loading } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import classes from './audiences.module.css';
import { Reasons } from './reasons.tsx';

const pageSize = 20;
const title = 'Most interested';

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
      <Empty icon={Users} title="The audience is empty">
        No one has shown interest in these items, or exclusions remove everyone. Promote more items or exclude
        fewer people.
      </Empty>
    );
  const explained = can('explanations') ? request : undefined;
  return (
    <section aria-label={title}>
      <Heading title={title} lead="An average person scores 1. Open a person to see the reasons." />
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
          {formatCount(users.length)} of {formatCount(audienceSize)}
        </Hint>
        {users.length < audienceSize && (
          <Button variant="default" size="xs" loading={isFetching} onClick={() => setLimit(limit * 3)}>
            Load more
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
        {userType === 'device_id' && <span className="quiet"> device</span>}
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
