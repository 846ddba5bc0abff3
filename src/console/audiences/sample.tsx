import { useQuery } from '@connectrpc/connect-query';
import { Box, Button, Group, Paper, Skeleton, Text, Title, UnstyledButton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Users } from 'lucide-react';
import { useState } from 'react';
import type {
  Audience,
  AudienceRequest,
  AudienceUser,
} from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatCount, formatNumber } from '../kit/format.ts';
import { useConsole } from '../service/console-context.ts';
import classes from './audiences.module.css';
import { Reasons } from './reasons.tsx';
import { text } from './text.ts';

const pageSize = 20;

type SampleProps = { audience: Audience; request?: AudienceRequest };

/** The first people of an audience; each is opened to see why. */
export function Sample({ audience, request }: SampleProps) {
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
  if (!users) return <Skeleton h={300} role="status" aria-label="Loading" />;
  if (users.length === 0)
    return (
      <Empty icon={Users} title={text.empty}>
        {text.emptyLead}
      </Empty>
    );
  const best = users[0].score;
  const explains = can('explanations') ? request : undefined;
  return (
    <section aria-label={text.sample}>
      <Title order={2}>{text.sample}</Title>
      <Text size="xs" className="quiet" mb="sm">
        {text.sampleLead}
      </Text>
      <Paper style={{ overflow: 'hidden' }}>
        <ul className={classes.rows}>
          {users.map((user) => (
            <li key={user.userType + user.id}>
              <UserRow
                user={user}
                best={best}
                isOpen={open === user.id}
                onToggle={explains && (() => setOpen(open === user.id ? undefined : user.id))}
              />
              {explains && open === user.id && <Reasons user={user} request={explains} />}
            </li>
          ))}
        </ul>
      </Paper>
      <Group justify="space-between" mt="sm">
        <Text size="xs" className="quiet">
          {text.shown(formatCount(users.length), formatCount(audienceSize))}
        </Text>
        {users.length < audienceSize && (
          <Button variant="default" size="xs" loading={isFetching} onClick={() => setLimit(limit * 3)}>
            {text.more}
          </Button>
        )}
      </Group>
    </section>
  );
}

type UserRowProps = { user: AudienceUser; best: number; isOpen: boolean; onToggle?(): void };

function UserRow({ user: { id, userType, score }, best, isOpen, onToggle }: UserRowProps) {
  const Arrow = isOpen ? ChevronDown : ChevronRight;
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
        {userType === 'device_id' && (
          <Text span size="xs" className="quiet">
            {' '}
            device
          </Text>
        )}
      </Text>
      <Box className={classes.track}>
        <Box
          className={classes.bar}
          style={{ width: `${(100 * score) / Math.max(best, Number.MIN_VALUE)}%` }}
        />
      </Box>
      <Text size="sm" className="numbers" w={60} ta="end">
        {formatNumber(score)}
      </Text>
    </UnstyledButton>
  );
}
