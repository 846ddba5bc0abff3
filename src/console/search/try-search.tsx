import { useQuery } from '@connectrpc/connect-query';
import { Box, Group, Pill, SegmentedControl, Stack, UnstyledButton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { LateInput } from '../kit/fields.tsx';
import { Search } from '../kit/icons.ts';
import { itemKey } from '../kit/item-names.ts';
import { Empty, ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { Answer } from '../results/answer.tsx';
import { anonymous, useSearchPreview } from '../results/preview.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Facets, useFacets } from './facets.tsx';

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
        leftSection={<Search size={15} aria-hidden />}
        pauseMs={typingMs}
        maxLength={1024}
        value={q}
        onChange={(typed) => onChange({ q: typed })}
        flex="3 1 260px"
      />
      <SegmentedControl
        aria-label={t('Visitor')}
        data={[
          { value: 'new', label: t('New visitor') },
          { value: 'user', label: t('User') },
          { value: 'device', label: t('Device') },
        ]}
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
  const { environment } = useConsole();
  const { data } = useQuery(
    PreviewService.method.previewCompletions,
    { environment: environment.name, request: { q, ...visitor } },
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
