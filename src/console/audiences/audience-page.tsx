import { createClient } from '@connectrpc/connect';
import { useQuery } from '@connectrpc/connect-query';
import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Audience, AudienceRequest } from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { csvRow } from '../../formats/records/csv.ts';
import { saveText } from '../kit/files.ts';
import { formatCount, formatDay, momentOf } from '../kit/format.ts';
import { Download, UserRoundX } from '../kit/icons.ts';
import { ItemLine } from '../kit/item-line.tsx';
import { useItems } from '../kit/items.ts';
import { Empty, ErrorNotice, Hint, PageFrame, PageLink, PageSkeleton, RuleSetLink } from '../kit/page.tsx';
import { isNotFound } from '../kit/queries.ts';
import { type FigureTile, FigureTiles } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { draftAddress } from './draft.ts';
import { Members } from './members.tsx';

const mostListed = 1_000;
const mostPromoted = 12;

const toAll = <PageLink to="audiences">{t('Audiences')}</PageLink>;

/** A stored audience: size, definition, and members with reasons. */
export function AudiencePage({ audienceId }: { audienceId: string }) {
  const { environment } = useConsole();
  const of = { environment: environment.name };
  const { data, error, refetch } = useQuery(AudienceService.method.getAudience, {
    ...of,
    audienceId,
    limit: 1,
  });
  const listed = useQuery(AudienceService.method.listAudiences, { ...of, pageSize: mostListed });
  if (isNotFound(error))
    return (
      <Empty icon={UserRoundX} title={t('Audience not found')}>
        {rich('Audiences are deleted after some weeks. See the stored ones: {toAll}', { toAll })}
      </Empty>
    );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (listed.error) return <ErrorNotice error={listed.error} onRetry={listed.refetch} />;
  if (!data?.audience || !listed.data) return <PageSkeleton />;
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
        <Button component={Link} href={pathTo(draftAddress(request))} variant="default">
          {t('Duplicate')}
        </Button>
      )}
      {audience.heldOutCount > 0 && (
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate(true)}>
          {t('Export control group')}
        </Button>
      )}
      <Button
        leftSection={<Download size={15} aria-hidden />}
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
