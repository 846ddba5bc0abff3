import { Code, ConnectError } from '@connectrpc/connect';
import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Anchor, Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { PackageX } from 'lucide-react';
import { Link } from 'wouter';
import { ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatMoment } from '../kit/format.ts';
import type { ItemName } from '../kit/item-key.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { useRefresh } from '../kit/refresh.ts';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { DocumentEditor } from './document-editor.tsx';
import { Figures } from './figures.tsx';
import { Neighbours } from './neighbours.tsx';
import { useItemDocument } from './queries.ts';
import { text } from './text.ts';
import { WhoSees } from './who-sees.tsx';

/** One item: its document, whether it may be shown, and what stands near it. */
export function ItemPage(name: ItemName) {
  const { environment, can, pathTo } = useConsole();
  const { data, error, refetch } = useQuery(ItemService.method.getItem, {
    environment: environment.name,
    ...name,
  });
  const stored = useItemDocument(name);
  const catalogue = (
    <Anchor component={Link} href={pathTo('catalogue')} size="sm" underline="always">
      {text.title}
    </Anchor>
  );
  if (error && ConnectError.from(error).code === Code.NotFound)
    return (
      <Empty icon={PackageX} title={text.gone}>
        {text.goneLead} {catalogue}
      </Empty>
    );
  const failed = [{ error, refetch }, stored].find((read) => read.error);
  const notice = failed && <ErrorNotice error={failed.error!} onRetry={failed.refetch} />;
  if (!data?.item || !stored.data) return notice ?? <PageSkeleton />;
  const { title = name.itemId, enabled, revision, updateTime } = data.item;
  const written = momentOf(updateTime);
  return (
    <PageFrame
      title={
        <Group gap="sm" component="span" wrap="nowrap" align="flex-start">
          <ItemPicture item={data.item} name={name.itemId} size="small" />
          <span>
            <bdi style={{ overflowWrap: 'anywhere' }}>{title}</bdi>{' '}
            <Badge variant="light" color={enabled ? 'green' : 'gray'} tt="none">
              {enabled ? 'Enabled' : 'Disabled'}
            </Badge>
          </span>
        </Group>
      }
      lead={
        <>
          {catalogue} / {name.itemType} / <bdi>{name.itemId}</bdi>
        </>
      }
      actions={<StatusButton name={name} title={title} enabled={enabled} />}
    >
      {notice}
      {can('metrics') && <Figures name={name} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <div style={{ minWidth: 0 }}>
          <DocumentEditor name={name} stored={stored.data} isReadOnly={!can('items')} />
          <Text size="xs" className="quiet" mt="xs">
            Revision {revision}
            {written && `, ${formatMoment(written)}`}
          </Text>
        </div>
        {can('explanations') && (
          <Stack gap="lg" miw={0}>
            {can('configurations', 'everywhere') && <WhoSees name={name} />}
            <Neighbours name={name} />
          </Stack>
        )}
      </SimpleGrid>
    </PageFrame>
  );
}

function StatusButton({ name, title, enabled }: { name: ItemName; title: string; enabled: boolean }) {
  const { environment } = useConsole();
  const refresh = useRefresh();
  const enable = useMutation(ItemService.method.enableItem, refresh);
  const disable = useMutation(ItemService.method.disableItem, refresh);
  const request = { environment: environment.name, ...name };
  const tell = () => {
    const id = notifications.show({
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" className="clamp-2">
            “{title}” is not shown any more.
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              enable.mutate(request);
              notifications.hide(id);
            }}
          >
            Undo
          </Button>
        </Group>
      ),
    });
  };
  /** A failure is told below the button. */
  const turnOff = () => disable.mutateAsync(request).then(tell, () => undefined);
  const error = enable.error ?? disable.error;
  return (
    <>
      <Button
        variant="default"
        loading={enable.isPending || disable.isPending}
        onClick={() => (enabled ? void turnOff() : enable.mutate(request))}
      >
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}
