import { Box, Button, Group, Paper, SimpleGrid, Stack, TagsInput, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import type { Synonym } from '../../../../gen/es/personalisation/v1/synonym_pb.js';
import {
  SynonymService,
  type TriedHit,
  type TriedQuery,
  type TrySynonymResponse,
} from '../../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { ChangeDialog } from '../../kit/dialog.tsx';
import { formatCount, formatCounted } from '../../kit/format.ts';
import { Replace } from '../../kit/icons.ts';
import { itemKey } from '../../kit/item-names.ts';
import { Empty, ErrorNotice, Heading, Hint } from '../../kit/page.tsx';
import { useCall, useChange, usePages } from '../../kit/queries.ts';
import { Ago, PagedTable } from '../../kit/table.tsx';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import {
  addressOf,
  type Draft,
  type DraftKey,
  draftLike,
  draftOf,
  idOf,
  isComplete,
  noDraft,
  synonymOf,
} from './draft.ts';

/** Editor of a synonym, which tries it on recent queries, and the live synonyms. */
export function Synonyms() {
  const { id = '', revision = '' } = useAddress<DraftKey>().values;
  const { mayChange } = useConsole();
  return (
    <>
      {/* Results and errors belong to one synonym and revision. */}
      {mayChange('configurations', 'publish') && <Editor key={`${revision} ${id}`} />}
      <LiveSynonyms />
    </>
  );
}

function LiveSynonyms() {
  const { mayChange } = useConsole();
  const { set } = useAddress<DraftKey>();
  const mayPublish = mayChange('configurations', 'publish');
  const [deleting, setDeleting] = useState<Synonym>();
  const pages = usePages(SynonymService.method.listSynonyms, {}, (page) => page.synonyms);
  const actionsOf = (synonym: Synonym) => (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button size="compact-xs" onClick={() => set(addressOf(draftLike(synonym)), true)}>
        {t('Edit')}
      </Button>
      <Button size="compact-xs" onClick={() => setDeleting(synonym)}>
        {t('Delete')}
      </Button>
    </Group>
  );
  return (
    <section aria-label={t('Live synonyms')} style={{ marginTop: 32 }}>
      <Heading title={t('Live synonyms')} />
      <PagedTable
        pages={pages}
        keyOf={({ synonymId = '' }) => synonymId}
        columns={[
          {
            label: t('Synonym'),
            cell: (synonym) => (
              <>
                <Words synonym={synonym} />
                <Hint>
                  <Ago time={synonym.updateTime} />
                </Hint>
              </>
            ),
          },
          mayPublish && { label: t('Actions'), isActions: true, width: 1, cell: actionsOf },
        ]}
        empty={
          <Empty icon={Replace} title={t('No synonyms yet')}>
            {t('Add one above. Synonyms of the deployment file apply too, and are not listed.')}
          </Empty>
        }
      />
      <DeleteDialog synonym={deleting} onClose={() => setDeleting(undefined)} />
    </section>
  );
}

function DeleteDialog({ synonym, onClose }: { synonym?: Synonym; onClose(): void }) {
  const { synonymId, revision: expectedRevision } = synonym ?? {};
  return (
    <ChangeDialog
      isOpen={synonym !== undefined}
      title={t('Delete this synonym?')}
      confirm={t('Delete')}
      method={SynonymService.method.deleteSynonym}
      request={{ synonymId, expectedRevision }}
      onClose={onClose}
    >
      {synonym && <Words synonym={synonym} />}
      {t('From the next search on, each word finds only items that contain it.')}
    </ChangeDialog>
  );
}

/** `a = b`, or `a → b` for a one-way synonym. */
function Words({ synonym: { words, from, to } }: { synonym: Synonym }) {
  return (
    <Text size="sm">
      <bdi>{words.length > 0 ? words.join(' = ') : from.join(', ')}</bdi>
      {to.length > 0 && (
        <>
          {' → '}
          <bdi>{to.join(', ')}</bdi>
        </>
      )}
    </Text>
  );
}

const mostWords = 20;
const longestWord = 100;

const oneWayHint = t('Words in the query; press Enter after each.');
const bothWaysHint = t('Two or more that find the same items; press Enter after each.');

/** Form of a synonym; shows its effect before it can be saved. */
function Editor() {
  const { values, set } = useAddress<DraftKey>();
  const draft = draftOf(values);
  const isNew = draft.id === '';
  const trial = useCall(SynonymService.method.trySynonym);
  const save = useChange(
    SynonymService.method.putSynonym,
    () => void notifications.show({ message: t('The synonym is live.'), color: 'green' }),
  );
  const request = { synonym: synonymOf(draft) };
  const change = (words: Partial<Draft>) => {
    trial.reset();
    save.reset();
    set(addressOf({ ...draft, ...words }));
  };
  const preview = (event: FormEvent) => {
    event.preventDefault();
    trial.mutate(request);
  };
  /** Runs as a callback of `mutate`, so that it leaves the address of a later page alone. */
  const clear = () => {
    trial.reset();
    set(addressOf(noDraft));
  };
  const send = () =>
    save.mutate(
      { ...request, synonymId: idOf(draft), expectedRevision: draft.revision },
      { onSuccess: clear },
    );
  return (
    <Paper p="md" component="form" onSubmit={preview} aria-label={t('Synonym')}>
      <Fields draft={draft} onChange={change} />
      <Group justify="flex-end" mt="md">
        {!isNew && (
          <Button variant="subtle" color="gray" onClick={() => change(noDraft)}>
            {t('Cancel')}
          </Button>
        )}
        <Button
          type="submit"
          variant={trial.data ? 'default' : 'filled'}
          disabled={!isComplete(draft)}
          loading={trial.isPending}
        >
          {t('Preview')}
        </Button>
        <Button variant="filled" disabled={!trial.data} loading={save.isPending} onClick={send}>
          {t('Save')}
        </Button>
      </Group>
      {trial.error && <ErrorNotice error={trial.error} />}
      {save.error && <ErrorNotice error={save.error} />}
      {trial.data && <Trial outcome={trial.data} />}
    </Paper>
  );
}

function Fields({ draft, onChange }: { draft: Draft; onChange(words: Partial<Draft>): void }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      <WordsField
        label={t('Words or phrases')}
        hint={draft.to.length > 0 ? oneWayHint : bothWaysHint}
        value={draft.words}
        onChange={(words) => onChange({ words })}
        takesFocus={draft.id !== ''}
      />
      <WordsField
        label={t('One-way synonym')}
        hint={t('Optional. “tv” also finds “television”, but not the reverse.')}
        value={draft.to}
        onChange={(to) => onChange({ to })}
      />
    </SimpleGrid>
  );
}

type WordsFieldProps = {
  label: string;
  hint: string;
  value: string[];
  onChange(words: string[]): void;
  /** Scrolls to the form when a synonym further down is edited. */
  takesFocus?: boolean;
};

function WordsField({ label, hint, value, onChange, takesFocus }: WordsFieldProps) {
  return (
    <TagsInput
      label={label}
      description={hint}
      value={value}
      onChange={(words) => onChange(words.map((word) => word.trim().slice(0, longestWord)).filter(Boolean))}
      maxTags={mostWords}
      autoFocus={takesFocus}
      acceptValueOnBlur
      splitChars={[',']}
      size="sm"
    />
  );
}

/** Effect of a synonym on the first results of recent queries. */
function Trial({ outcome }: { outcome: TrySynonymResponse }) {
  const { changedCount, queries } = outcome;
  return (
    <Stack mt="md" gap="sm" role="status">
      <Text fw={600}>{summaryWords(outcome)}</Text>
      {queries.map((query) => (
        <Comparison key={query.query} query={query} />
      ))}
      {changedCount > queries.length && (
        <Hint size="sm">
          {t('Shows {count} of {all}.', {
            count: formatCount(queries.length),
            all: formatCount(changedCount),
          })}
        </Hint>
      )}
    </Stack>
  );
}

function summaryWords({ queryCount, changedCount, foundCount }: TrySynonymResponse): string {
  if (queryCount === 0)
    return t('There are no recorded queries to try the synonym on. You can still save it.');
  const all = formatCount(queryCount);
  const changed =
    changedCount === 0
      ? t('None of {all} recorded queries would show other first results.', { all })
      : t('{count} of {all} recorded queries would show other first results.', {
          count: formatCount(changedCount),
          all,
        });
  if (foundCount === 0) return changed;
  const found = formatCounted(foundCount, 'query', 'queries');
  return `${changed} ${t('{queries} without results would find items.', { queries: found })}`;
}

function Comparison({ query: { query, searches, before, after } }: { query: TriedQuery }) {
  const known = new Set(before.map(itemKey));
  return (
    <Paper p="sm" component="section" aria-label={query}>
      <Text size="sm" fw={600}>
        <bdi>{query}</bdi>
        <Text span size="xs" className="quiet" ms={8}>
          {formatCounted(searches, 'search', 'searches')}
        </Text>
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt={4} spacing="md">
        <Hits title={t('Now')} hits={before} known={known} />
        <Hits title={t('With the synonym')} hits={after} known={known} />
      </SimpleGrid>
    </Paper>
  );
}

function Hits({ title, hits, known }: { title: string; hits: TriedHit[]; known: ReadonlySet<string> }) {
  return (
    <Box miw={0}>
      <Hint>{title}</Hint>
      {hits.length === 0 && <Text size="sm">{t('No results')}</Text>}
      {hits.map((hit) => (
        <Text key={itemKey(hit)} size="sm" truncate fw={known.has(itemKey(hit)) ? 400 : 600}>
          <bdi>{hit.title || hit.itemId}</bdi>
        </Text>
      ))}
    </Box>
  );
}
