import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SearchResults } from '../../../gen/es/personalisation/v1/search_pb.js';
import type { SearchExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { CornerUpRight, Megaphone } from '../kit/icons.ts';
import { RuleSetLink, Section } from '../kit/page.tsx';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';

type ActiveRulesProps = { results: SearchResults; explanation: SearchExplanation };

/** Redirect, banners, and the rule sets that apply to a search with the reasons. */
export function ActiveRules({ results, explanation: { configurations } }: ActiveRulesProps) {
  const { redirect, promotedContent } = results;
  if (configurations.length === 0) return null;
  return (
    <Section title={t('Active rules')}>
      <Stack gap="sm">
        {redirect && (
          <Line icon={<CornerUpRight size={16} aria-hidden />}>
            <Text size="sm">
              {rich('Redirects to {address}', { address: <bdi className="mark">{redirect}</bdi> })}
            </Text>
          </Line>
        )}
        {promotedContent.map((banner, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: banners have no id
          <Line key={index} icon={<Megaphone size={16} aria-label={t('Banner')} />}>
            {Object.entries(banner).map(([name, value]) => (
              <Text key={name} size="sm">
                <span className="quiet">{name}</span>{' '}
                <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
              </Text>
            ))}
          </Line>
        ))}
        {configurations.map(({ configurationId, reasons, unmet }) => (
          <div key={configurationId}>
            <Group gap={6}>
              <Text size="sm">
                {t('Rule set')} <RuleSetLink id={configurationId} />
              </Text>
              {(reasons.length > 0 ? reasons : [t('every search')]).map((reason) => (
                <Badge key={reason} color="gray">
                  {reason}
                </Badge>
              ))}
            </Group>
            {unmet.map(({ constraintIndex, wanted, found }) => (
              <Text key={constraintIndex} size="xs" c="var(--warn)">
                {t('Minimum of {wanted} not met: {found} in the results.', { wanted, found })}
              </Text>
            ))}
          </div>
        ))}
      </Stack>
    </Section>
  );
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      {icon}
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>{children}</div>
    </Group>
  );
}
