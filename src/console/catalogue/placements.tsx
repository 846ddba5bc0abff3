import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { Badge, Button, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { LateInput } from '../kit/fields.tsx';
import { formatCount } from '../kit/format.ts';
import { type ItemName, itemKey, writeList } from '../kit/item-names.ts';
import { ErrorNotice, Hint, Loading, RowLink, Section } from '../kit/page.tsx';
import { useRuleSets } from '../kit/rule-sets.ts';
import { readSetup, toRequest } from '../lists/setup.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const mostLists = 20;

/** Position of an item in each live list, or the reason why it is missing. */
export function Placements({ name }: { name: ItemName }) {
  const { can, pathTo } = useConsole();
  const { values, set } = useAddress<'user'>();
  const { data, error, refetch } = useRuleSets({ staleTime: 0 });
  const live = data?.filter(({ search, periods }) => !search && periods.some((one) => one.live));
  const shown = live?.slice(0, mostLists) ?? [];
  const places = usePlaces(
    name,
    shown.map(({ configurationId }) => configurationId),
    values.user ?? '',
  );
  const failed = error ? { error, refetch } : places;
  const userField = (
    <LateInput
      label={t('User ID')}
      placeholder={t('new visitor')}
      value={values.user ?? ''}
      onChange={(user) => set({ user })}
    />
  );
  return (
    <Section
      title={t('Placements')}
      lead={t('Position in each live list, or why it is missing.')}
      actions={userField}
    >
      {failed.error && <ErrorNotice error={failed.error} onRetry={failed.refetch} />}
      {!failed.error && (!live || places.isLoading) && <Loading h={120} />}
      {live?.length === 0 && <Text size="sm">{t('No rule set for lists is live.')}</Text>}
      {places.data && (
        <Stack gap={6} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {places.data.map((place) => (
            <Placement key={place.configurationId} place={place} user={values.user ?? ''} />
          ))}
        </Stack>
      )}
      {live && live.length > mostLists && (
        <Hint mt="xs">
          {t('Shows the first {mostLists} of {liveCount} live rule sets by name.', {
            mostLists: formatCount(mostLists),
            liveCount: formatCount(live.length),
          })}
        </Hint>
      )}
      {can('audiences') && (
        <Button
          component={Link}
          href={`${pathTo('audiences/new')}?items=${encodeURIComponent(itemKey(name))}`}
          size="xs"
          mt="md"
        >
          {t('Find interested people')}
        </Button>
      )}
    </Section>
  );
}

/** Aligns the two columns across all rows. */
const columns = {
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 2fr) minmax(0, 3fr)',
  gap: 12,
  alignItems: 'baseline',
} as const;

const setupValues = (configurationIds: string[], user: string) => ({
  kind: user ? 'user' : 'new',
  visitor: user,
  configurations: writeList(configurationIds),
});

type Place = { configurationId: string; rank?: number; reason?: string };

/**
 * Finds the item in all lists by one request, whose lists do not depend on each other. A rule set
 * that needs a value of the page fails the request; each is then asked for on its own.
 */
function usePlaces(name: ItemName, configurationIds: string[], user: string) {
  const { environment, connection } = useConsole();
  const { previewRecommendations } = createClient(PreviewService, connection.transport);
  const ask = async (ids: string[]): Promise<Place[]> => {
    const setup = readSetup(setupValues(ids, user), '', '');
    const request = toRequest({ ...setup, allowsDuplicates: true });
    const question = { environment: environment.name, request, whyNot: [name] };
    const { explanations } = await previewRecommendations(question);
    return explanations.map(({ listName, items, whyNot }) => ({
      configurationId: listName,
      rank: items.find((item) => itemKey(item) === itemKey(name))?.rank,
      reason: whyNot[0]?.detail,
    }));
  };
  const askEach = async (error: unknown): Promise<Place[]> => {
    if (ConnectError.from(error).code !== Code.InvalidArgument) throw error;
    const refused = ({ rawMessage }: ConnectError) => rawMessage;
    const each = configurationIds.map((configurationId) =>
      ask([configurationId]).catch((reason) => [
        { configurationId, reason: refused(ConnectError.from(reason)) },
      ]),
    );
    return (await Promise.all(each)).flat();
  };
  return useQuery({
    queryKey: ['places', environment.name, itemKey(name), configurationIds, user],
    enabled: configurationIds.length > 0,
    placeholderData: keepPreviousData,
    queryFn: () => ask(configurationIds).catch(askEach),
  });
}

type PlacementProps = { place: Place; user: string };

function Placement({ place: { configurationId, rank, reason }, user }: PlacementProps) {
  const values = setupValues([configurationId], user);
  return (
    <li style={columns}>
      <RowLink to={`playground?${new URLSearchParams(values)}`}>{configurationId}</RowLink>
      {rank ? <Badge color="green">{t('position {rank}', { rank })}</Badge> : <Hint>{reason}</Hint>}
    </li>
  );
}
