import { Alert, Box, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNotice } from '../kit/error-notice.tsx';
import type { ItemName } from '../kit/item-key.ts';
import { ItemSearch } from '../kit/item-search.tsx';
import { usePreview } from './queries.ts';
import type { Setup } from './setup.ts';
import { text } from './text.ts';

/** Asks for an item that is missing; the first thing that keeps it out is named. */
export function WhyNot({ setup, configurationId }: { setup: Setup; configurationId: string }) {
  const [missed, setMissed] = useState<{ name: ItemName; title: string }>();
  return (
    <Box mt="md" maw={520}>
      <Group gap="xs" align="baseline" mb={4}>
        <Text size="sm" fw={500}>
          {text.whyNot}
        </Text>
      </Group>
      <ItemSearch
        label={text.whyNot}
        isLabelHidden
        placeholder={text.whyNotLead}
        onPick={(name, item) => setMissed({ name, title: item.title ?? name.itemId })}
      />
      {missed && <Absence setup={setup} configurationId={configurationId} missed={missed} />}
    </Box>
  );
}

type AbsenceProps = {
  setup: Setup;
  configurationId: string;
  missed: { name: ItemName; title: string };
};

function Absence({ setup, configurationId, missed }: AbsenceProps) {
  const { data, error, refetch } = usePreview(setup, [], [missed.name]);
  const list = data?.explanations.find(({ listName }) => listName === configurationId);
  const absence = list?.whyNot.find(({ itemId }) => itemId === missed.name.itemId);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!absence) return null;
  return (
    <Alert
      variant="light"
      color={absence.reason === 'in_list' ? 'green' : 'orange'}
      mt="xs"
      title={<bdi>{missed.title}</bdi>}
      role="status"
    >
      {absence.detail}
    </Alert>
  );
}
