import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { formatMoment, momentOf } from '../kit/format.ts';
import { PackageX } from '../kit/icons.ts';
import type { ItemName } from '../kit/item-names.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { Empty, ErrorNotice, Hint, PageFrame, PageLink, PageSkeleton } from '../kit/page.tsx';
import { isNotFound, useRefresh } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { DocumentEditor } from './document-editor.tsx';
import { Performance } from './performance.tsx';
import { Placements } from './placements.tsx';
import { useItemDocument } from './queries.ts';
import { RelatedItems } from './related-items.tsx';

const toAll = <PageLink to="catalogue">{t('Catalogue')}</PageLink>;

/** One item: performance, raw data, placements and related items. */
export function ItemPage(name: ItemName) {
  const { environment, can, mayChange } = useConsole();
  const request = { environment: environment.name, ...name };
  const { data, error, refetch } = useQuery(ItemService.method.getItem, request);
  const stored = useItemDocument(name);
  if (isNotFound(error))
    return (
      <Empty icon={PackageX} title={t('Item not found')}>
        {rich('No item has this ID in this environment. Search by title: {toAll}', { toAll })}
      </Empty>
    );
  const failed = [{ error, refetch }, stored].find((read) => read.error);
  const notice = failed && <ErrorNotice error={failed.error!} onRetry={failed.refetch} />;
  if (!data?.item || !stored.data) return notice ?? <PageSkeleton />;
  const { title = name.itemId, enabled, revision, updateTime } = data.item;
  const updated = momentOf(updateTime);
  return (
    <PageFrame
      title={
        <Group gap="sm" component="span" wrap="nowrap" align="flex-start">
          <ItemPicture item={data.item} name={name.itemId} size="small" />
          <span>
            <bdi style={{ overflowWrap: 'anywhere' }}>{title}</bdi>{' '}
            <Badge color={enabled ? 'green' : 'gray'}>{enabled ? t('Enabled') : t('Disabled')}</Badge>
          </span>
        </Group>
      }
      lead={
        <>
          {toAll} / {name.itemType} / <bdi>{name.itemId}</bdi>
        </>
      }
      actions={mayChange('items') && <StatusButton name={name} title={title} enabled={enabled} />}
    >
      {notice}
      {can('metrics') && <Performance name={name} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <div style={{ minWidth: 0 }}>
          <DocumentEditor name={name} stored={stored.data} isReadOnly={!mayChange('items')} />
          <Hint mt="xs">
            {t(updated ? 'Revision {revision}, {time}' : 'Revision {revision}', {
              revision,
              time: updated && formatMoment(updated),
            })}
          </Hint>
        </div>
        {can('explanations') && (
          <Stack gap="lg" miw={0}>
            {can('configurations') && <Placements name={name} />}
            <RelatedItems name={name} />
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
  const offerUndo = () => {
    const undo = () => {
      enable.mutate(request);
      notifications.hide(id);
    };
    const id = notifications.show({
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" className="clamp-2">
            {t('“{title}” is disabled.', { title })}
          </Text>
          <Button size="compact-sm" variant="default" flex="none" onClick={undo}>
            {t('Undo')}
          </Button>
        </Group>
      ),
    });
  };
  /** The notice below the button reports a failure. */
  const turnOff = () => disable.mutateAsync(request).then(offerUndo, () => undefined);
  const error = enable.error ?? disable.error;
  return (
    <>
      <Button
        variant="default"
        loading={enable.isPending || disable.isPending}
        onClick={() => (enabled ? void turnOff() : enable.mutate(request))}
      >
        {enabled ? t('Disable') : t('Enable')}
      </Button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}
