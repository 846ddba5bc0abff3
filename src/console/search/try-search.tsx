import type { JsonObject } from '@bufbuild/protobuf';
import { Box, Group, MultiSelect, Pill, SimpleGrid, Stack, UnstyledButton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import type { Facet } from '../../../gen/es/personalisation/v1/search_pb.js';
import type { Scalar } from '../grammar/document.ts';
import { keyWords } from '../grammar/words.ts';
import { Choice, LateInput, SwitchField } from '../kit/fields.tsx';
import { formatCount, formatCounted } from '../kit/format.ts';
import { Search } from '../kit/icons.ts';
import { itemKey } from '../kit/item-names.ts';
import { Empty, ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { Answer } from '../results/answer.tsx';
import { anonymous, useSearchPreview } from '../results/preview.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const typingMs = 180;

type Key = 'q' | 'kind' | 'visitor';
type Values = Partial<Record<Key, string>>;

/** Explained results while typing. */
export function TrySearch() {
  const { values, set } = useAddress<Key>();
  const { q = '', kind = 'new', visitor: id = '' } = values;
  const visitor = {
    deviceId: kind === 'device' && id ? id : anonymous,
    userId: kind === 'user' && id ? id : undefined,
  };
  const facets = useFacets();
  const { data, error, isPlaceholderData, refetch } = useSearchPreview({ q, visitor, ...facets.request });
  return (
    <>
      <SearchFields values={values} onChange={set} />
      <Completions q={q} visitor={visitor} onPick={(picked) => set({ q: picked })} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!q && (
        <Empty icon={Search} title={t('Enter a query')}>
          {t('An empty search shows a visitor their best items.')}
        </Empty>
      )}
      {q && !data && !error && <Loading h={300} mt="lg" />}
      {q && data && (
        <Box mt="lg">
          <Facets counted={data.results?.facets ?? []} total={data.results?.totalSize} {...facets} />
          <Answer answer={data} isStale={isPlaceholderData} />
        </Box>
      )}
    </>
  );
}

function SearchFields({ values, onChange }: { values: Values; onChange(values: Values): void }) {
  const { q = '', kind = 'new', visitor = '' } = values;
  return (
    <Group align="flex-end" gap="sm">
      <LateInput
        label={t('Query')}
        placeholder={t('e.g. trial shoes')}
        leftSection={<Search size={15} />}
        pauseMs={typingMs}
        maxLength={1024}
        value={q}
        onChange={(typed) => onChange({ q: typed })}
        flex="3 1 260px"
      />
      <Choice
        aria-label={t('Visitor')}
        labels={{ new: t('New visitor'), user: t('User'), device: t('Device') }}
        value={kind}
        onChange={(next) => onChange({ kind: next === 'new' ? '' : next })}
      />
      {kind !== 'new' && (
        <LateInput
          label={kind === 'user' ? t('User ID') : t('Device ID')}
          placeholder={t('e.g. anna')}
          pauseMs={typingMs}
          value={visitor}
          onChange={(id) => onChange({ visitor: id })}
          flex="1 1 140px"
        />
      )}
    </Group>
  );
}

const mostShown = 6;

type CompletionsProps = {
  q: string;
  visitor: { deviceId: string; userId?: string };
  onPick(query: string): void;
};

type Offer = { key: string; label: string };

/** Completions as a search field would show them: the visitor's queries, popular queries, and items. */
function Completions({ q, visitor, onPick }: CompletionsProps) {
  const { data } = useRead(
    PreviewService.method.previewCompletions,
    { request: { q, ...visitor } },
    { placeholderData: keepPreviousData },
  );
  const { queries = [], completions = [] } = data?.completion ?? {};
  const queriesOf = (kind: string) =>
    queries.filter((one) => one.kind === kind).map(({ query }) => ({ key: query, label: query }));
  const [recent, popular] = [queriesOf('recent'), queriesOf('popular')];
  const items = completions.map((item) => ({ key: itemKey(item), label: item.title }));
  if (q === '' && recent.length + popular.length === 0) return null;
  return (
    <Stack gap={4} mt="xs" role="group" aria-label={t('Completions')}>
      {recent.length > 0 && <Offers label={t('Recent queries')} offers={recent} onPick={onPick} />}
      {popular.length > 0 && <Offers label={t('Popular')} offers={popular} onPick={onPick} />}
      {q !== '' && <Offers label={t('Completions')} offers={items} onPick={onPick} />}
    </Stack>
  );
}

function Offers({ label, offers, onPick }: { label: string; offers: Offer[]; onPick(label: string): void }) {
  return (
    <Group gap={6} mih={26}>
      <Hint>
        {label}:{offers.length === 0 && ` ${t('none')}`}
      </Hint>
      {offers.slice(0, mostShown).map((offer) => (
        <UnstyledButton key={offer.key} onClick={() => onPick(offer.label)} maw="100%">
          <Pill size="sm" maw={260}>
            <bdi>{offer.label}</bdi>
          </Pill>
        </UnstyledButton>
      ))}
    </Group>
  );
}

type Picking = {
  isOffered: boolean;
  isOpen: boolean;
  open(opens: boolean): void;
  picks: Record<string, Scalar[]>;
  pick(key: string, values: Scalar[]): void;
};

const mostFacets = 6;

/** Counted properties, and picked values in the address. */
function useFacets() {
  const { environment } = useConsole();
  const { values, set } = useAddress<'picks' | 'facets'>();
  const facets = environment.itemTypes
    .flatMap(({ properties }) => properties)
    .filter(
      ({ filterable, returnable, type }) =>
        filterable && returnable && (type === 'string' || type === 'string[]' || type === 'boolean'),
    )
    .map(({ name }) => name);
  const keys = ['categories', ...facets].filter((key) => environment.filterFields.includes(key));
  const picks = readPicks(values.picks);
  const isOpen = values.facets === '1';
  const counted = [...new Set(keys)].slice(0, mostFacets);
  return {
    /** Facets change the ranking to one list of items with all words, so they are requested only while open. */
    request: isOpen ? { facets: counted, picks: picks as JsonObject } : {},
    isOffered: counted.length > 0,
    isOpen,
    open: (opens: boolean) => set({ facets: opens ? '1' : '', picks: '' }),
    picks,
    pick(key: string, picked: Scalar[]) {
      const { [key]: _, ...others } = picks;
      const next = picked.length > 0 ? { ...others, [key]: picked } : others;
      set({ picks: Object.keys(next).length > 0 ? JSON.stringify(next) : '' });
    },
  };
}

function readPicks(written: string | undefined): Record<string, Scalar[]> {
  try {
    return JSON.parse(written ?? '{}');
  } catch {
    return {};
  }
}

type FacetsProps = Picking & { counted: Facet[]; total?: number };

/** Values of the results with counts, to filter by. */
function Facets({ counted, total, picks, pick, isOffered, isOpen, open }: FacetsProps) {
  const shown = counted.filter(({ key, values }) => values.length > 0 || picks[key]);
  if (!isOffered) return null;
  return (
    <Box mb="md">
      <Group justify="space-between" mb="xs" mih={20}>
        <SwitchField size="xs" label={t('Filters')} checked={isOpen} onChange={open} />
        {isOpen && total !== undefined && (
          <Hint className="numbers">
            <span role="status">{t('{items} found', { items: formatCounted(total, 'item') })}</span>
          </Hint>
        )}
      </Group>
      {isOpen && (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" role="group" aria-label={t('Filters')}>
          {shown.map(({ key, values }) => (
            <FacetSelect
              key={key}
              name={key}
              values={values}
              picked={picks[key] ?? []}
              onPick={(next) => pick(key, next)}
            />
          ))}
        </SimpleGrid>
      )}
    </Box>
  );
}

type FacetSelectProps = {
  name: string;
  values: Facet['values'];
  picked: Scalar[];
  onPick(values: Scalar[]): void;
};

function FacetSelect({ name, values, picked, onPick }: FacetSelectProps) {
  const counts = new Map(values.map(({ value, count }) => [value?.kind.value as Scalar, count]));
  const all = [...new Set([...counts.keys(), ...picked])];
  return (
    <MultiSelect
      label={keyWords(name)}
      placeholder={picked.length === 0 ? t('any') : ''}
      data={all.map((value) => ({
        value: String(value),
        label: `${value} (${formatCount(counts.get(value) ?? 0)})`,
      }))}
      value={picked.map(String)}
      onChange={(next) => onPick(all.filter((value) => next.includes(String(value))))}
      searchable
    />
  );
}
