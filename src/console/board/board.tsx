import { Alert, Badge, Box, Button, Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { useMayChange } from '../configurations/editor/editor-actions.tsx';
import type { SharedDraft } from '../configurations/editor/shared-draft.ts';
import { useSharedDraft } from '../configurations/editor/shared-draft.ts';
import { useDraft } from '../configurations/editor/use-draft.ts';
import { useFindings } from '../configurations/editor/use-findings.ts';
import type { Document } from '../grammar/document.ts';
import { arrangementOf, isSameItem, type NamedItem, unhidden, unpinned } from '../grammar/search-rules.ts';
import { type StoredDocument, useConfigurationDocument } from '../grammar/stored-documents.ts';
import { RemovablePill } from '../kit/fields.tsx';
import { LayoutGrid, Redo2, Undo2 } from '../kit/icons.ts';
import { type ItemLookup, useItems } from '../kit/items.ts';
import { Empty, ErrorNotice, Heading, Loading, Unread } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { type Arranged, useArranged } from './arranged.ts';
import { Cards, referenceTo } from './cards.tsx';
import { templateOf, type View } from './view.ts';

/** Reads the rule set and its draft. */
export function BoardOf({ view }: { view: View }) {
  const { configurationId, isKnown } = view;
  const { environment } = useConsole();
  const { data, error, refetch } = useConfigurationDocument(configurationId, isKnown);
  const template = useMemo(
    () => ({ document: templateOf(view, environment.name), version: 0 }),
    [view, environment.name],
  );
  const stored = isKnown ? data : template;
  const mayWrite = useMayChange('edit', stored?.document);
  const shared = useSharedDraft(configurationId, mayWrite && configurationId !== '');
  if (configurationId === '')
    return (
      <Empty icon={LayoutGrid} title={view.place === 'query' ? t('Enter a query') : t('Enter a category')}>
        {t('Its results appear as cards to arrange.')}
      </Empty>
    );
  if (error || !stored || (mayWrite && shared.isPending && !shared.error))
    return <Unread error={error} onRetry={refetch} />;
  return <Board view={view} stored={stored} shared={mayWrite ? shared.data : undefined} />;
}

type BoardProps = { view: View; stored: StoredDocument; shared: SharedDraft | null | undefined };

function Board({ view, stored, shared }: BoardProps) {
  const { configurationId } = view;
  const draft = useDraft(configurationId, stored, shared);
  const { message } = useFindings(configurationId, draft.document);
  const drafts = useMemo(() => (message ? [message] : []), [message]);
  const document = draft.document ?? stored.document;
  const { pins = [], hides = [] } = arrangementOf(document);
  const arranged = useArranged(view, document, drafts);
  const { items, error, refetch, isStale } = arranged;
  const ids = useMemo(
    () => [...items.map(({ itemId }) => itemId), ...[...pins, ...hides].map(({ item_id }) => item_id)],
    [items, pins, hides],
  );
  const lookUp = useItems(ids);
  const isReadOnly = draft.sharing.state === 'off';
  const missing = pins.filter((pin) => !items.some((item) => isSameItem(pin, referenceTo(item))));
  return (
    <Box mt="lg">
      <Actions view={view} draft={draft} shared={shared} version={stored.version} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {arranged.unmet.map((text) => (
        <Alert key={text} color="orange" mb="sm" py="xs">
          {text}
        </Alert>
      ))}
      {!arranged.isLoaded && !error && <Loading h={320} />}
      {arranged.isLoaded && items.length === 0 && (
        <Empty icon={LayoutGrid} title={t('No items')}>
          {t('No item matches for this visitor.')}
        </Empty>
      )}
      <Cards
        {...{ items, lookUp, document, isStale, isReadOnly }}
        onChange={(next: Document) => draft.setDocument(next)}
      />
      <Text className="visually-hidden" role="status">
        {isStale || !arranged.isLoaded ? '' : t('{itemsCount} items shown.', { itemsCount: items.length })}
      </Text>
      <Named
        title={t('Pins that are not shown')}
        items={missing}
        {...{ lookUp, arranged, isReadOnly }}
        onRemove={(item) => draft.setDocument(unpinned(document, item))}
      />
      <Named
        title={t('Hidden items')}
        items={hides}
        {...{ lookUp, isReadOnly }}
        onRemove={(item) => draft.setDocument(unhidden(document, item))}
      />
    </Box>
  );
}

type ActionsProps = Pick<BoardProps, 'view' | 'shared'> & {
  draft: ReturnType<typeof useDraft>;
  version: number;
};

/** State of the draft; publishing is on the page of the rule set. */
function Actions({ view: { configurationId }, draft, shared, version }: ActionsProps) {
  const { pathTo } = useConsole();
  const { state, conflict, error } = draft.sharing;
  const words = {
    off: t('You may not change this rule set.'),
    saved: shared ? t('Draft saved.') : t('No changes yet.'),
    unsaved: t('Saving the draft…'),
    failed: conflict
      ? t('Another user has changed the draft: open the rule set to merge.')
      : `${error?.message}`,
  };
  return (
    <Group justify="space-between" mb="md" gap="xs">
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {rich('Rule set {configurationId}', { configurationId: <bdi>{configurationId}</bdi> })}
        </Text>
        {version === 0 && <Badge color="blue">{t('New')}</Badge>}
        {draft.isChanged && <Badge color="orange">{t('Changed')}</Badge>}
        <Text size="sm" className="quiet" role="status">
          {words[state]}
        </Text>
      </Group>
      <Group gap="xs">
        <Button leftSection={<Undo2 size={15} />} disabled={!draft.undo} onClick={draft.undo}>
          {t('Undo')}
        </Button>
        <Button leftSection={<Redo2 size={15} />} disabled={!draft.redo} onClick={draft.redo}>
          {t('Redo')}
        </Button>
        <Button
          variant="filled"
          component={Link}
          href={pathTo(`configurations/${encodeURIComponent(configurationId)}`)}
        >
          {t('Review and publish')}
        </Button>
      </Group>
    </Group>
  );
}

type NamedProps = {
  title: string;
  items: readonly NamedItem[];
  lookUp: ItemLookup;
  arranged?: Arranged;
  isReadOnly: boolean;
  onRemove(item: NamedItem): void;
};

/** Items of the rule set that the board does not show, each with the reason if it is known. */
function Named({ title, items, lookUp, arranged, isReadOnly, onRemove }: NamedProps) {
  if (items.length === 0) return null;
  return (
    <Box component="section" aria-label={title} mt="lg">
      <Heading title={title} />
      <Group gap={6}>
        {items.map((item) => {
          const name = lookUp({ itemId: item.item_id, itemType: item.item_type })?.title ?? item.item_id;
          const reason = arranged?.reasonOf(item.item_id);
          return (
            <RemovablePill
              key={`${item.item_type} ${item.item_id}`}
              size="md"
              name={name}
              withRemoveButton={!isReadOnly}
              onRemove={() => onRemove(item)}
            >
              <bdi>{name}</bdi>
              {reason && ` · ${reason}`}
            </RemovablePill>
          );
        })}
      </Group>
    </Box>
  );
}
