import { useQuery } from '@connectrpc/connect-query';
import { Group, Pill, Stack, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

const mostShown = 6;

type CompletionsProps = {
  q: string;
  visitor: { deviceId: string; userId?: string };
  onPick(query: string): void;
};

type Offer = { key: string; label: string };

/** What a search field would offer for what is typed so far: queries of their own, those of many, and items. */
export function Completions({ q, visitor, onPick }: CompletionsProps) {
  const { environment } = useConsole();
  const { data } = useQuery(
    PreviewService.method.previewCompletions,
    { environment: environment.name, request: { q, ...visitor } },
    { placeholderData: keepPreviousData },
  );
  const queriesOf = (wanted: string): Offer[] =>
    (data?.completion?.queries ?? [])
      .filter(({ kind }) => kind === wanted)
      .map(({ query }) => ({ key: query, label: query }));
  const items = (data?.completion?.completions ?? []).map(({ itemType, itemId, title }) => ({
    key: `${itemType}/${itemId}`,
    label: title,
  }));
  const [recent, popular] = [queriesOf('recent'), queriesOf('popular')];
  if (q === '' && recent.length + popular.length === 0) return null;
  return (
    <Stack gap={4} mt="xs" role="group" aria-label={text.completions}>
      {recent.length > 0 && <Offers label={text.ownQueries} offers={recent} onPick={onPick} />}
      {popular.length > 0 && <Offers label={text.popularQueries} offers={popular} onPick={onPick} />}
      {q !== '' && <Offers label={text.completions} offers={items} onPick={onPick} />}
    </Stack>
  );
}

function Offers({ label, offers, onPick }: { label: string; offers: Offer[]; onPick(label: string): void }) {
  return (
    <Group gap={6} mih={26}>
      <Text size="xs" className="quiet">
        {label}:
      </Text>
      {offers.length === 0 && (
        <Text size="xs" className="quiet">
          none
        </Text>
      )}
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
