import { Code, ConnectError } from '@connectrpc/connect';
import { useQuery } from '@connectrpc/connect-query';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download, UserRoundX } from 'lucide-react';
import { Link } from 'wouter';
import type { Audience, AudienceRequest } from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { ConfigurationLink } from '../kit/configuration-link.tsx';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { type FigureTile, FigureTiles } from '../kit/figure-tiles.tsx';
import { formatCount, formatDay } from '../kit/format.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { useItems } from '../kit/items.ts';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { draftAddress } from './draft.ts';
import { exportAudience } from './export.ts';
import { Sample } from './sample.tsx';
import { text } from './text.ts';

const mostListed = 1_000;

/** A stored audience: its size, what it was asked for, who is in it and why. */
export function AudiencePage({ audienceId }: { audienceId: string }) {
  const { environment, pathTo } = useConsole();
  const of = { environment: environment.name };
  const { data, error, refetch } = useQuery(AudienceService.method.getAudience, {
    ...of,
    audienceId,
    limit: 1,
  });
  const listed = useQuery(AudienceService.method.listAudiences, { ...of, pageSize: mostListed });
  if (error && ConnectError.from(error).code === Code.NotFound)
    return (
      <Empty icon={UserRoundX} title={text.gone}>
        {text.goneLead}{' '}
        <Anchor component={Link} href={pathTo('audiences')} size="sm" underline="always">
          {text.title}
        </Anchor>
      </Empty>
    );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (listed.error) return <ErrorNotice error={listed.error} onRetry={listed.refetch} />;
  if (!data?.audience || !listed.data) return <PageSkeleton />;
  const { audience } = data;
  const request = listed.data.audiences.find((one) => one.audienceId === audienceId)?.request;
  return (
    <PageFrame
      title={<bdi>{audience.audienceName}</bdi>}
      lead={
        <>
          <Anchor component={Link} href={pathTo('audiences')} size="sm" underline="always">
            {text.title}
          </Anchor>{' '}
          / <span className="mark">{audienceId}</span>
          {request?.configurationId && <RestrictedBy configurationId={request.configurationId} />}
        </>
      }
      actions={<Actions audience={audience} request={request} />}
    >
      <Stack gap="lg">
        <Figures audience={audience} request={request} />
        {request && <Promoted request={request} />}
        <Sample audience={audience} request={request} />
      </Stack>
    </PageFrame>
  );
}

function RestrictedBy({ configurationId }: { configurationId: string }) {
  return (
    <>
      {' · '}
      {text.restrictedBy} <ConfigurationLink id={configurationId} />
    </>
  );
}

type AudienceProps = { audience: Audience; request?: AudienceRequest };

function Actions({ audience, request }: AudienceProps) {
  const { connection, environment, pathTo } = useConsole();
  const save = useMutation({
    mutationFn: (heldOut: boolean) =>
      exportAudience(connection, { environment: environment.name, audience, heldOut }),
  });
  return (
    <>
      {request && (
        <Button component={Link} href={pathTo(draftAddress(request))} variant="default">
          {text.change}
        </Button>
      )}
      {audience.heldOutCount > 0 && (
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate(true)}>
          {text.exportHeldOut}
        </Button>
      )}
      <Button
        leftSection={<Download size={15} aria-hidden />}
        loading={save.isPending}
        disabled={audience.audienceSize === 0}
        onClick={() => save.mutate(false)}
      >
        {text.exportMembers}
      </Button>
      {save.error && <ErrorNotice error={save.error} />}
    </>
  );
}

function Figures({ audience, request }: AudienceProps) {
  const ends = momentOf(audience.expiresAt);
  const tiles: FigureTile[] = [
    [formatCount(audience.audienceSize), text.members],
    [formatCount(audience.heldOutCount), text.heldOut],
    [formatCount(request?.promotion.length ?? 0), text.promotes],
    [ends ? formatDay(ends) : '–', text.expires],
  ];
  return <FigureTiles tiles={tiles} />;
}

const mostPromoted = 12;

function Promoted({ request: { promotion } }: { request: AudienceRequest }) {
  const { can, pathTo } = useConsole();
  const shown = promotion.slice(0, mostPromoted);
  const lookUp = useItems(shown.map(({ id }) => id));
  return (
    <Group component="section" aria-label={text.promoted} gap="lg">
      {shown.map(({ id, itemType = '' }) => {
        const item = lookUp({ itemType, itemId: id });
        const name = <bdi>{item?.title ?? id}</bdi>;
        return (
          <Group key={itemType + id} gap="xs" wrap="nowrap" miw={0}>
            <ItemPicture item={item} name={id} size="small" />
            {can('items') ? (
              <Link
                className="row-link"
                href={pathTo(`catalogue/${encodeURIComponent(itemType)}/${encodeURIComponent(id)}`)}
              >
                {name}
              </Link>
            ) : (
              name
            )}
          </Group>
        );
      })}
      {promotion.length > shown.length && (
        <Text size="sm" className="quiet">
          {text.shown(formatCount(shown.length), formatCount(promotion.length))}
        </Text>
      )}
    </Group>
  );
}
