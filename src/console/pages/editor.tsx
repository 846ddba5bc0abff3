import { create, toJson } from '@bufbuild/protobuf';
import { Button, Paper, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import {
  type PageDefinition,
  PageDefinitionSchema,
  PageService,
} from '../../../gen/es/personalisation/v1/page_service_pb.js';
import { decodeJson } from '../../formats/codec.ts';
import { EditableList } from '../configurations/editor/editable-list.tsx';
import { AddMenu } from '../configurations/editor/rule-lists.tsx';
import type { Json, JsonObject } from '../grammar/document.ts';
import { ChangeDialog } from '../kit/dialog.tsx';
import { JsonField, TextField } from '../kit/fields.tsx';
import { formatCount } from '../kit/format.ts';
import { useLeaveGuard } from '../kit/leaving.tsx';
import { ErrorNotice, Heading, PageFrame, RuleSetLink } from '../kit/page.tsx';
import { useChange, type Violation } from '../kit/queries.ts';
import { useRuleSets } from '../kit/rule-sets.ts';
import { OutdatedNotice, SaveButtons } from '../kit/saving.tsx';
import { DataTable } from '../kit/table.tsx';
import { readVariables } from '../kit/variables.ts';
import { useConsole } from '../service/console-context.ts';
import { leaveFreely } from '../service/leaving.ts';
import { t } from '../texts/texts.ts';
import { Preview, usePagePreview } from './preview.tsx';
import { newRow, PageFields, RowFields, rowTexts, templates } from './row-fields.tsx';

const print = (document: JsonObject) => JSON.stringify(document, null, 2);

const empty = print({ title: '', rows: [] });

function textOf({ title, rows, maximumRows, rowsPerSegment }: PageDefinition): string {
  const own = create(PageDefinitionSchema, { title, rows, maximumRows, rowsPerSegment });
  return print(toJson(PageDefinitionSchema, own, { useProtoFieldName: true }) as JsonObject);
}

const rowsOf = (document: JsonObject): Json[] => (Array.isArray(document.rows) ? document.rows : []);

/** Typed text, and the stored text that it started from. */
type Typed = { text: string; base: string };

/** Editor of a stored page, or of a new one: a form of its rows, its JSON, and a preview. */
export function Editor({ page }: { page?: PageDefinition }) {
  const stored = page ? textOf(page) : empty;
  const [typed, setTyped] = useState<Typed>();
  const [newId, setNewId] = useState('');
  const mayPublish = useConsole().mayChange('configurations', 'publish');
  const text = typed?.text ?? stored;
  const isChanged = text !== stored;
  const preview = usePagePreview(text);
  const document = readVariables(text) as JsonObject | undefined;
  const type = (next: string) => setTyped({ text: next, base: typed?.base ?? stored });
  const rowCount = document ? rowsOf(document).length : 0;
  const general = preview.violations.filter(({ pointer }) => !/\/rows\/\d+/.test(pointer));
  const fault = document ? general.map(({ detail }) => detail).join(' ') : t('Must be a JSON object.');
  const isSound = document !== undefined && rowCount > 0 && preview.violations.length === 0;
  return (
    <Saving
      page={page}
      pageId={page?.pageId ?? newId}
      isChanged={isChanged}
      isOutdated={isChanged && typed?.base !== stored}
      document={isSound ? document : undefined}
      mayPublish={mayPublish}
      onDone={() => setTyped(undefined)}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="md" component="section" miw={0} aria-label={t('Rows')}>
          {!page && (
            <TextField
              label={t('ID')}
              description={t('Requests of your site name the page by it.')}
              value={newId}
              maxLength={256}
              onChange={setNewId}
            />
          )}
          {document && mayPublish && (
            <PageForm
              document={document}
              violations={preview.violations}
              onChange={(next) => type(print(next))}
            />
          )}
          {document && !mayPublish && <RowTable rows={rowsOf(document)} />}
          <JsonField
            aria-label={t('Page JSON')}
            minRows={8}
            maxRows={32}
            readOnly={!mayPublish}
            value={text}
            error={rowCount > 0 || !document ? fault || undefined : undefined}
            onChange={type}
          />
        </Stack>
        <Preview preview={preview} rowCount={rowCount} />
      </SimpleGrid>
    </Saving>
  );
}

type SavingProps = {
  page: PageDefinition | undefined;
  pageId: string;
  isChanged: boolean;
  /** Whether another page is stored than the changes began with. */
  isOutdated: boolean;
  /** Undefined while it has faults. */
  document: JsonObject | undefined;
  mayPublish: boolean;
  onDone(): void;
  children: ReactNode;
};

/** Frame of the editor, with buttons that delete, discard and save. */
function Saving(props: SavingProps) {
  const { page, pageId, isChanged, isOutdated, document, mayPublish, onDone, children } = props;
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const [isDeleting, deleting] = useDisclosure(false);
  const save = useChange(PageService.method.putPage);
  useLeaveGuard(isChanged && mayPublish, isChanged && mayPublish, page ? undefined : 'new');
  const at = { pageId, expectedRevision: page?.revision ?? 0 };
  const leaveTo = (path: string) => {
    leaveFreely();
    navigate(pathTo(path));
  };
  const discard = () => {
    save.reset();
    onDone();
  };
  const submit = () => {
    const { message } = decodeJson(PageDefinitionSchema, document);
    const onSuccess = () => {
      notifications.show({ message: t('Page saved. It is live.'), color: 'green' });
      if (page) onDone();
      else leaveTo(`pages/${encodeURIComponent(pageId)}`);
    };
    save.mutate({ ...at, page: message }, { onSuccess });
  };
  const buttons = (
    <>
      {page && <Button onClick={deleting.open}>{t('Delete')}</Button>}
      <SaveButtons
        isChanged={isChanged}
        isSound={document !== undefined && pageId !== ''}
        isSaving={save.isPending}
        onDiscard={discard}
        onSave={submit}
      />
    </>
  );
  return (
    <PageFrame
      title={<bdi>{page ? page.title || page.pageId : t('New page')}</bdi>}
      lead={page?.title ? page.pageId : undefined}
      actions={mayPublish && buttons}
    >
      {isOutdated && !save.isPending && <OutdatedNotice of="page" />}
      {save.error && !isOutdated && <ErrorNotice error={save.error} />}
      {children}
      <ChangeDialog
        isOpen={isDeleting}
        title={t('Delete {title}?', { title: page?.title || pageId })}
        confirm={t('Delete')}
        method={PageService.method.deletePage}
        request={at}
        onDone={() => leaveTo('pages')}
        onClose={deleting.close}
      >
        {t('Requests that name the page fail from then on.')}
      </ChangeDialog>
    </PageFrame>
  );
}

type PageFormProps = {
  document: JsonObject;
  violations: readonly Violation[];
  onChange(document: JsonObject): void;
};

/** Fields of the page and its rows. */
function PageForm({ document, violations, onChange }: PageFormProps) {
  const [open, setOpen] = useState<number>();
  const ruleSets = useRuleSets().data ?? [];
  const rows = rowsOf(document);
  const set = (next: Json[]) => onChange({ ...document, rows: next });
  const add = (template: JsonObject) => {
    const last = rows.at(-1) as JsonObject | undefined;
    set([
      ...rows,
      newRow(template, rows, String(last?.configuration_id ?? ruleSets[0]?.configurationId ?? '')),
    ]);
    setOpen(rows.length);
  };
  return (
    <>
      <PageFields value={document} onChange={onChange} />
      <div>
        <Heading
          title={t('Rows')}
          lead={t('Rows come by the visitor’s interest, except those with a position.')}
          actions={<AddMenu name="row" templates={templates} onAdd={add} />}
        />
        <EditableList
          name="row"
          entries={rows}
          empty={t('No rows yet')}
          open={open}
          onOpen={setOpen}
          onChange={set}
          findingsOf={(index) =>
            violations
              .filter(({ pointer }) => new RegExp(`/rows/${index}(/|$)`).test(pointer))
              .map((one) => ({ ...one, isFault: true }))
          }
          textsOf={(row) => rowTexts(row as JsonObject)}
          renderFields={(row, index) => (
            <RowFields value={row as JsonObject} onChange={(next) => set(rows.with(index, next))} />
          )}
        />
      </div>
    </>
  );
}

/** The rows for readers. */
const RowTable = ({ rows }: { rows: readonly Json[] }) => (
  <Paper style={{ overflow: 'hidden' }}>
    <DataTable
      aria-label={t('Rows')}
      rows={rows as JsonObject[]}
      keyOf={(_, index) => index}
      columns={[
        { label: t('Title'), cell: (row) => <bdi>{rowTexts(row).words}</bdi> },
        { label: t('List name'), from: 'sm', cell: (row) => <bdi>{String(row.list_name)}</bdi> },
        { label: t('Rule set'), cell: (row) => <RuleSetLink id={String(row.configuration_id)} /> },
        { label: t('Content'), from: 'sm', cell: (row) => rowTexts(row).note },
        {
          label: t('Position'),
          isNumber: true,
          cell: ({ pinned }) => (typeof pinned === 'number' ? formatCount(pinned) : '–'),
        },
      ]}
    />
  </Paper>
);
