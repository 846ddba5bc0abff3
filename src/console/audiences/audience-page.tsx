import { createClient } from '@connectrpc/connect';
import { Box, Button, Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type {
  Audience,
  AudienceRequest,
  AudienceScorePart,
  AudienceUser,
} from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { csvRow } from '../../formats/records/csv.ts';
import { saveText } from '../kit/files.ts';
import { formatCount, formatCounted, formatDay, formatNumber, momentOf } from '../kit/format.ts';
import { Download, OpenArrow, Users } from '../kit/icons.ts';
import { ItemLine } from '../kit/item-picture.tsx';
import { useItems } from '../kit/items.ts';
import {
  Empty,
  ErrorNotice,
  Heading,
  Hint,
  Loading,
  PageFrame,
  PageLink,
  RuleSetLink,
  Unread,
} from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { type FigureTile, FigureTiles } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import classes from './audiences.module.css';
import { draftAddress } from './draft.ts';

const mostListed = 1_000;
const mostPromoted = 12;

const toAll = <PageLink to="audiences">{t('Audiences')}</PageLink>;

/** A stored audience: size, definition, and members with reasons. */
export function AudiencePage({ audienceId }: { audienceId: string }) {
  const { data, error, refetch } = useRead(AudienceService.method.getAudience, { audienceId, limit: 1 });
  const listed = useRead(AudienceService.method.listAudiences, { pageSize: mostListed });
  if (error || !data?.audience)
    return (
      <Unread error={error} onRetry={refetch} missing={t('Audience not found')}>
        {rich('Audiences are deleted after some weeks. See the stored ones: {toAll}', { toAll })}
      </Unread>
    );
  if (listed.error || !listed.data) return <Unread error={listed.error} onRetry={listed.refetch} />;
  const { audience } = data;
  const request = listed.data.audiences.find((one) => one.audienceId === audienceId)?.request;
  const expires = momentOf(audience.expiresAt);
  const tiles: FigureTile[] = [
    [formatCount(audience.audienceSize), t('people')],
    [formatCount(audience.heldOutCount), t('in the control group')],
    [formatCount(request?.promotion.length ?? 0), t('promoted items')],
    [expires ? formatDay(expires) : '–', t('kept until')],
  ];
  return (
    <PageFrame
      title={<bdi>{audience.audienceName}</bdi>}
      lead={
        <>
          {toAll} / <span className="mark">{audienceId}</span>
          {request?.configurationId && (
            <>
              {' · '}
              {rich('Restricted by {ruleSet}', { ruleSet: <RuleSetLink id={request.configurationId} /> })}
            </>
          )}
        </>
      }
      actions={<Actions audience={audience} request={request} />}
    >
      <Stack gap="lg">
        <FigureTiles tiles={tiles} />
        {request && <Promoted request={request} />}
        <Members audience={audience} request={request} />
      </Stack>
    </PageFrame>
  );
}

function Actions({ audience, request }: { audience: Audience; request?: AudienceRequest }) {
  const { connection, environment, pathTo } = useConsole();
  const client = createClient(AudienceService, connection.transport);
  const save = useMutation({
    async mutationFn(heldOut: boolean) {
      const { audienceId, audienceName } = audience;
      const lines = ['id,user_type,score'];
      const parts = client.exportAudience({ environment: environment.name, audienceId, heldOut });
      for await (const { users } of parts)
        for (const { id, userType, score } of users) lines.push(csvRow([id, userType, score]));
      const name = `${audienceName.replace(/[^\p{L}\p{N}_-]+/gu, '-')}${heldOut ? '-control-group' : ''}.csv`;
      saveText(name, `${lines.join('\r\n')}\r\n`);
    },
  });
  return (
    <>
      {request && (
        <Button component={Link} href={pathTo(draftAddress(request))}>
          {t('Duplicate')}
        </Button>
      )}
      {audience.heldOutCount > 0 && (
        <Button loading={save.isPending} onClick={() => save.mutate(true)}>
          {t('Export control group')}
        </Button>
      )}
      <Button
        variant="filled"
        leftSection={<Download size={15} />}
        loading={save.isPending}
        disabled={audience.audienceSize === 0}
        onClick={() => save.mutate(false)}
      >
        {t('Export')}
      </Button>
      {save.error && <ErrorNotice error={save.error} />}
    </>
  );
}

function Promoted({ request: { promotion } }: { request: AudienceRequest }) {
  const shown = promotion.slice(0, mostPromoted);
  const lookUp = useItems(shown.map(({ id }) => id));
  return (
    <Group component="section" aria-label={t('Promoted items')} gap="lg">
      {shown.map(({ id, itemType = '' }) => {
        const name = { itemType, itemId: id };
        return <ItemLine key={itemType + id} item={lookUp(name)} name={name} isLink />;
      })}
      {promotion.length > shown.length && (
        <Hint size="sm">
          {t('{shown} of {total}', {
            shown: formatCount(shown.length),
            total: formatCount(promotion.length),
          })}
        </Hint>
      )}
    </Group>
  );
}

const pageSize = 20;
const title = t('Most interested');

/** First members of an audience; opening one shows the reasons. */
function Members({ audience, request }: { audience: Audience; request?: AudienceRequest }) {
  const { can } = useConsole();
  const [limit, setLimit] = useState(pageSize);
  const [open, setOpen] = useState<string>();
  const { audienceId, audienceSize } = audience;
  const { data, error, refetch, isFetching } = useRead(
    AudienceService.method.getAudience,
    { audienceId, limit },
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
          {t('{shown} of {total}', { shown: formatCount(users.length), total: formatCount(audienceSize) })}
        </Hint>
        {users.length < audienceSize && (
          <Button size="xs" loading={isFetching} onClick={() => setLimit(limit * 3)}>
            {t('Load more')}
          </Button>
        )}
      </Group>
    </section>
  );
}

type MemberRowProps = { user: AudienceUser; best: number; isOpen: boolean; onToggle?(): void };

function MemberRow({ user: { id, userType, score }, best, isOpen, onToggle }: MemberRowProps) {
  const width = `${(100 * score) / Math.max(best, Number.MIN_VALUE)}%`;
  return (
    <UnstyledButton
      className={classes.row}
      onClick={onToggle}
      disabled={!onToggle}
      aria-expanded={onToggle && isOpen}
    >
      <OpenArrow isOpen={isOpen} size={15} className="quiet" />
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
  const { data, error, refetch } = useRead(AudienceService.method.explainAudienceUser, {
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
