import { useQuery } from '@connectrpc/connect-query';
import { Group, Pill, Stack, UnstyledButton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { itemKey } from '../kit/item-names.ts';
import { Hint } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';

const mostShown = 6;

type CompletionsProps = {
  q: string;
  visitor: { deviceId: string; userId?: string };
  onPick(query: string): void;
};

type Offer = { key: string; label: string };

/** Completions as a search field would show them: the visitor's queries, popular queries, and items. */
export function Completions({ q, visitor, onPick }: CompletionsProps) {
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
    <Stack gap={4} mt="xs" role="group" aria-label="Completions">
      {recent.length > 0 && <Offers label="Recent queries" offers={recent} onPick={onPick} />}
      {popular.length > 0 && <Offers label="Popular" offers={popular} onPick={onPick} />}
      {q !== '' && <Offers label="Completions" offers={items} onPick={onPick} />}
    </Stack>
  );
}

function Offers({ label, offers, onPick }: { label: string; offers: Offer[]; onPick(label: string): void }) {
  return (
    <Group gap={6} mih={26}>
      <Hint>
        {label}:{offers.length === 0 && ' none'}
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
