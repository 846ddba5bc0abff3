import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import {
  PageDefinitionSchema,
  type PageRow,
  PageService,
} from '../../../gen/es/personalisation/v1/page_service_pb.js';
import { decodeJson } from '../../formats/codec.ts';
import { itemKey } from '../kit/item-names.ts';
import { ItemLine } from '../kit/item-picture.tsx';
import { useItems } from '../kit/items.ts';
import { ErrorNotice, Hint, Loading, Section } from '../kit/page.tsx';
import { useRead, violationsOf } from '../kit/queries.ts';
import { readVariables } from '../kit/variables.ts';
import { newVisitorDevice, type VisitorKind } from '../lists/setup.ts';
import { VisitorFields } from '../lists/setup-form.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const typingMs = 300;

/** The rows of a page for a chosen visitor, and the faults of its JSON, after a pause in typing. */
export function usePagePreview(text: string) {
  const { environment } = useConsole();
  const [visitor, setVisitor] = useState<{ kind: VisitorKind; visitor: string }>({
    kind: 'new',
    visitor: '',
  });
  const { kind, visitor: id } = visitor;
  const [settled] = useDebouncedValue(text, typingMs);
  const decoded = useMemo(() => {
    const document = readVariables(settled);
    return document && decodeJson(PageDefinitionSchema, document);
  }, [settled]);
  const page = decoded?.violations.length === 0 ? decoded.message : undefined;
  const { pageTypes } = environment;
  const request = {
    deviceId: kind === 'device' && id ? id : newVisitorDevice,
    userId: kind === 'user' && id ? id : undefined,
    pageType: pageTypes.includes('home') ? 'home' : (pageTypes[0] ?? 'home'),
    doNotStore: true,
    ...{ rows: page?.rows, maximumRows: page?.maximumRows, rowsPerSegment: page?.rowsPerSegment },
  };
  const { data, error } = useRead(
    PageService.method.createPage,
    { request },
    { enabled: page !== undefined && page.rows.length > 0, placeholderData: keepPreviousData, retry: false },
  );
  const refusals = useMemo(() => violationsOf(error), [error]);
  const violations = page ? refusals : (decoded?.violations ?? []);
  const rows = page && page.rows.length > 0 ? data?.page?.rows : undefined;
  return { visitor, setVisitor, rows, violations, error };
}

type PreviewProps = { preview: ReturnType<typeof usePagePreview>; rowCount: number };

export function Preview({ preview, rowCount }: PreviewProps) {
  const { visitor, setVisitor, rows, violations, error } = preview;
  return (
    <Section title={t('Preview')} lead={t('The rows as the visitor gets them now. Nothing is stored.')}>
      <Group align="flex-end" gap="sm" mb="md">
        <VisitorFields {...visitor} onChange={(changes) => setVisitor({ ...visitor, ...changes })} />
      </Group>
      {rowCount === 0 && <Hint size="sm">{t('Add a row to see it.')}</Hint>}
      {rowCount > 0 && violations.length > 0 && <Hint size="sm">{t('Complete the rows to see them.')}</Hint>}
      {error && violations.length === 0 && <ErrorNotice error={error} />}
      {rowCount > 0 &&
        !error &&
        violations.length === 0 &&
        (rows ? <Rows rows={rows} /> : <Loading h={240} />)}
    </Section>
  );
}

function Rows({ rows }: { rows: readonly PageRow[] }) {
  const itemIds = useMemo(() => rows.flatMap(({ list }) => list?.items ?? []).map(idOf), [rows]);
  const lookUp = useItems(itemIds);
  if (rows.length === 0) return <Hint size="sm">{t('No row has enough items for this visitor.')}</Hint>;
  return (
    <Stack gap="lg">
      {rows.map(({ position, title, list }) => (
        <section key={position} aria-label={title}>
          <Group justify="space-between" mb="xs" gap="xs">
            <Title order={3}>
              <bdi>{title}</bdi>
            </Title>
            <Text size="xs" className="quiet" component="bdi">
              {list?.listName}
            </Text>
          </Group>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
            {list?.items.map((item) => (
              <ItemLine key={itemKey(item)} item={lookUp(item)} name={item} isLink />
            ))}
          </SimpleGrid>
        </section>
      ))}
    </Stack>
  );
}

const idOf = ({ itemId }: { itemId: string }) => itemId;
