import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { isLive } from '../configurations/schedule.ts';
import { useConfigurations } from '../configurations/use-configurations.ts';
import { LateInput } from '../kit/fields.tsx';
import { formatCount } from '../kit/format.ts';
import { type ItemName, itemKey, writeList } from '../kit/item-names.ts';
import { ErrorNotice, Hint, Loading, Section } from '../kit/page.tsx';
import { usePreview } from '../lists/queries.ts';
import { readSetup } from '../lists/setup.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';

/** One request per list, because the lists of one request do not repeat an item. */
const mostLists = 20;

/** Position of an item in each live list, or the reason why it is missing. */
export function Placements({ name }: { name: ItemName }) {
  const { can, pathTo } = useConsole();
  const { values, set } = useAddress<'user'>();
  const list = useQuery(ConfigurationService.method.listConfigurations, {}, { staleTime: 0 });
  const all = list.data?.configurationIds;
  const ids = all?.slice(0, mostLists) ?? [];
  const { configurations, ...read } = useConfigurations(ids);
  const failed = [list, read].find(({ error }) => error);
  const isRead = all !== undefined && configurations.every((one) => one !== undefined);
  const live = ids.filter((_, index) => {
    const one = configurations[index];
    return one && !one.search && isLive(one);
  });
  const userField = (
    <LateInput
      label="User ID"
      placeholder="new visitor"
      value={values.user ?? ''}
      onChange={(user) => set({ user })}
    />
  );
  return (
    <Section title="Placements" lead="Position in each live list, or why it is missing." actions={userField}>
      {failed && <ErrorNotice error={failed.error!} onRetry={failed.refetch} />}
      {!isRead && !failed && <Loading h={120} />}
      {isRead && live.length === 0 && <Text size="sm">No rule set for lists is live.</Text>}
      {isRead && (
        <Stack gap={6} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {live.map((id) => (
            <Placement key={id} name={name} configurationId={id} user={values.user ?? ''} />
          ))}
        </Stack>
      )}
      {all && all.length > mostLists && (
        <Hint mt="xs">
          Shows the first {formatCount(mostLists)} of {formatCount(all.length)} rule sets by name.
        </Hint>
      )}
      {can('audiences') && (
        <Button
          component={Link}
          href={`${pathTo('audiences/new')}?items=${encodeURIComponent(itemKey(name))}`}
          variant="default"
          size="xs"
          mt="md"
        >
          Find interested people
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

type PlacementProps = { name: ItemName; configurationId: string; user: string };

function Placement({ name, configurationId, user }: PlacementProps) {
  const { pathTo } = useConsole();
  const values = {
    kind: user ? 'user' : 'new',
    visitor: user,
    configurations: writeList([configurationId]),
  };
  const { data, error } = usePreview(readSetup(values, '', configurationId), [], [name]);
  const list = data?.explanations[0];
  const found = list?.items.find((item) => itemKey(item) === itemKey(name));
  return (
    <li style={columns}>
      <Link className="row-link" href={`${pathTo('playground')}?${new URLSearchParams(values)}`}>
        <bdi>{configurationId}</bdi>
      </Link>
      {found ? (
        <Badge color="green">position {found.rank}</Badge>
      ) : (
        <Hint>{error ? error.rawMessage : list?.whyNot[0]?.detail}</Hint>
      )}
    </li>
  );
}
