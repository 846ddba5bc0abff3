import { Accordion, Badge, Box, Button, Code, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type Finding, Severity } from '../../../gen/es/personalisation/v1/diagnosis_pb.js';
import { DiagnosisService } from '../../../gen/es/personalisation/v1/diagnosis_service_pb.js';
import { copyText } from '../kit/files.ts';
import { formatCount } from '../kit/format.ts';
import { CircleCheck } from '../kit/icons.ts';
import { ErrorNotice, Loading, Section } from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t, withinSentence } from '../texts/texts.ts';

const badges: Partial<Record<Severity, { children: string; color: string }>> = {
  [Severity.FAULT]: { children: t('Fault'), color: 'red' },
  [Severity.WARNING]: { children: t('Warning'), color: 'orange' },
  [Severity.NOTICE]: { children: t('Notice'), color: 'gray' },
};

/** A diagnosis reads many events, so a visit needs one only. */
const freshMs = 300_000;

/** Enough to find faults of one event in a thousand; takes half a second. */
const mostEvents = 50_000;

/** Findings of the health check, worst first, each with advice. */
export function Findings() {
  const { data, error, refetch } = useRead(
    DiagnosisService.method.getDiagnosis,
    { eventLimit: mostEvents },
    { staleTime: freshMs },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const { findings = [], truncated, eventCount = 0 } = data?.diagnosis ?? {};
  const lead = truncated
    ? t('Health check of the last 7 days (newest {count} events) and of the catalogue.', {
        count: formatCount(eventCount),
      })
    : t('Health check of the last 7 days and of the catalogue.');
  return (
    <Section title={t('Issues to fix')} lead={lead}>
      {!data && <Loading h={100} />}
      {data && findings.length === 0 && (
        <Group gap="xs" py="md">
          <CircleCheck size={18} color="var(--up)" />
          <Text size="sm">{t('No issues found.')}</Text>
        </Group>
      )}
      <Accordion variant="default" chevronPosition="right">
        {findings.map((finding) => (
          <FindingRow key={`${finding.check} ${finding.subject}`} finding={finding} />
        ))}
      </Accordion>
    </Section>
  );
}

/** Event types as people call them, with the plural verb. */
const eventWords: Record<string, string> = {
  detail_pageview: t('Views of item pages'),
  item_interaction: t('Likes, saves and shares'),
  purchase: t('Purchases'),
  add_to_cart: t('Additions to the cart'),
  remove_from_cart: t('Removals from the cart'),
  checkpoint: t('Reading and watching progress'),
  impression: t('Impressions of lists'),
  click_on_recommendation: t('Clicks on lists'),
  page_visit: t('Visits of pages with lists'),
  search_impression: t('Impressions of search results'),
  search_click_on_recommendation: t('Clicks on search results'),
};

/** The finding in words that name no technical type. */
function wordsOf({ check, subject, description }: Finding): string {
  const named = check === 'event_type_missing' ? eventWords[subject] : undefined;
  return named
    ? t('Missing: {events}.', { events: withinSentence(named) }) +
        description.slice(description.indexOf('.') + 1)
    : description;
}

type Remedy = { label: string; to: string };

const toEvents: Remedy = { label: t('View events'), to: 'events' };

/** Page that helps with a finding, by check [the events]. */
const remedies: Record<string, Remedy> = {
  catalogue_empty: { label: t('Import items'), to: 'catalogue/import' },
  catalogue_stale: { label: t('Import items'), to: 'catalogue/import' },
  items_missing: { label: t('Open the catalogue'), to: 'catalogue' },
  unregistered_values: { label: t('View metrics'), to: 'metrics' },
  too_many_new_names: { label: t('View metrics'), to: 'metrics' },
  deployment_mismatch: { label: t('View metrics'), to: 'metrics' },
};

/** Copies a call that sends an event of a missing type. */
function CopyCall({ eventType }: { eventType: string }) {
  const { environment } = useConsole();
  const event = { event_type: eventType, device_id: 'my-device', page_type: 'home', action_item: 'my-item' };
  const url = `${location.origin}${settings.basePath}/${environment.name}/events`;
  const call = `curl ${url} -H "authorization: Bearer $token" -H 'content-type: application/json' -d '${JSON.stringify({ events: [event] })}'`;
  return (
    <Button size="xs" onClick={() => void copyText(call)}>
      {t('Copy call')}
    </Button>
  );
}

function FindingRow({ finding }: { finding: Finding }) {
  const { pathTo } = useConsole();
  const { check, subject, severity, hint, examples } = finding;
  const { label, to } = remedies[check] ?? toEvents;
  return (
    <Accordion.Item value={`${check} ${subject}`}>
      <Group gap="xs" wrap="nowrap">
        <Accordion.Control px={0}>
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <Badge {...badges[severity]} style={{ flexShrink: 0 }} />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {wordsOf(finding)}
            </Text>
          </Group>
        </Accordion.Control>
        <Box style={{ flexShrink: 0 }}>
          {check === 'event_type_missing' ? (
            <CopyCall eventType={subject} />
          ) : (
            <Button component={Link} href={pathTo(to)} size="xs">
              {label}
            </Button>
          )}
        </Box>
      </Group>
      <Accordion.Panel>
        <Text size="sm" fw={500}>
          {hint}
        </Text>
        <Group gap={6} mt="xs">
          {examples.map((example) => (
            <Code key={example} style={{ overflowWrap: 'anywhere' }}>
              {example}
            </Code>
          ))}
        </Group>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
