import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { CornerUpRight, Megaphone } from 'lucide-react';
import type { SearchResults } from '../../../gen/es/personalisation/v1/search_pb.js';
import type { SearchExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { ConfigurationLink } from '../kit/configuration-link.tsx';
import { text } from './text.ts';

type BesideProps = { results: SearchResults; explanation: SearchExplanation };

/** Redirect, banners, and which configurations steered the search and why; nothing where none did. */
export function Beside({ results, explanation: { configurations } }: BesideProps) {
  const { redirect, promotedContent } = results;
  if (configurations.length === 0) return null;
  return (
    <Paper p="md" component="section" aria-label={text.beside}>
      <Title order={2} mb="xs">
        {text.beside}
      </Title>
      <Stack gap="sm">
        {redirect && (
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <CornerUpRight size={16} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {text.redirect} <bdi className="mark">{redirect}</bdi>
            </Text>
          </Group>
        )}
        {promotedContent.map((banner, place) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a banner is its place
            key={place}
            gap="xs"
            wrap="nowrap"
            align="flex-start"
          >
            <Megaphone size={16} aria-label={text.banner} style={{ flexShrink: 0, marginTop: 3 }} />
            <Members banner={banner} />
          </Group>
        ))}
        <Steering configurations={configurations} />
      </Stack>
    </Paper>
  );
}

function Members({ banner }: { banner: object }) {
  return (
    <div style={{ minWidth: 0 }}>
      {Object.entries(banner).map(([name, value]) => (
        <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <span className="quiet">{name}</span>{' '}
          <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
        </Text>
      ))}
    </div>
  );
}

function Steering({ configurations }: Pick<SearchExplanation, 'configurations'>) {
  return (
    <Stack gap={6}>
      {configurations.map(({ configurationId, reasons, unmet }) => (
        <div key={configurationId}>
          <Group gap={6}>
            <Text size="sm">
              {text.steeredBy} <ConfigurationLink id={configurationId} />
            </Text>
            {(reasons.length > 0 ? reasons : [text.always]).map((reason) => (
              <Badge key={reason} variant="light" color="gray" tt="none">
                {reason}
              </Badge>
            ))}
          </Group>
          {unmet.map(({ constraintIndex, wanted, found }) => (
            <Text key={constraintIndex} size="xs" c="var(--warn)">
              {text.unmet(wanted, found)}
            </Text>
          ))}
        </div>
      ))}
    </Stack>
  );
}
