import { create } from '@bufbuild/protobuf';
import { Button, Group, NumberInput, Select, SimpleGrid, Stack, TagsInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import {
  type Experiment,
  ExperimentSchema,
  ExperimentState,
  GuardrailSchema,
  RampStepSchema,
} from '../../../gen/es/personalisation/v1/experiment_pb.js';
import { ExperimentService } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { AddButton, RemoveButton, TextArea, TextField } from '../kit/fields.tsx';
import { useLeaveGuard } from '../kit/leaving.tsx';
import { experimentMetrics, metricLabel } from '../kit/metrics.ts';
import { ErrorNotice, Hint, PageFrame, Section, Unread } from '../kit/page.tsx';
import { useChange, useRead } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { leaveFreely } from '../service/leaving.ts';
import { t } from '../texts/texts.ts';
import { Audience, Percent } from './audience-fields.tsx';
import { PlanSection } from './plan.tsx';
import { VariantFields } from './variant-fields.tsx';

const { method } = ExperimentService;

export type FieldsProps = { draft: Experiment; onChange(changes: Partial<Experiment>): void };

const blank = () =>
  create(ExperimentSchema, {
    metric: 'click_through_rate',
    variants: [
      { name: 'control', share: 1 },
      { name: 'variant', share: 1 },
    ],
  });

export const NewExperiment = () => <Form initial={blank()} />;

export function EditExperiment({ experimentId }: { experimentId: string }) {
  const request = { experimentId };
  const { data, error, refetch } = useRead(method.getExperiment, request, { staleTime: 0 });
  if (!data?.experiment) return <Unread error={error} onRetry={refetch} />;
  return <Form initial={data.experiment} />;
}

/** Everything about an experiment on one page, stored as a draft. */
function Form({ initial }: { initial: Experiment }) {
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const [first] = useState(initial);
  const [draft, setDraft] = useState(first);
  const save = useChange(method.putExperiment);
  useLeaveGuard(draft !== first);
  const isNew = first.revision === 0;
  const isRunning = first.state === ExperimentState.RUNNING;
  const fields: FieldsProps = { draft, onChange: (changes) => setDraft({ ...draft, ...changes }) };
  const { experimentId = '', variants } = draft;
  const lack = lackOf(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      { ...{ experimentId, expectedRevision: first.revision }, experiment: draft },
      {
        onSuccess() {
          leaveFreely();
          navigate(pathTo(`experiments/${experimentId}`));
        },
      },
    );
  };
  return (
    <PageFrame
      title={isNew ? t('New experiment') : t('Edit {experimentId}', { experimentId })}
      lead={
        isRunning
          ? t('While it runs, the hypothesis, the metric, the guardrails and the ramp can change.')
          : t('Saved as a draft; nothing is served before you start it.')
      }
    >
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Hypothesis {...fields} isNew={isNew} />
          <fieldset disabled={isRunning} className="plain">
            <Stack gap="lg">
              <Section
                title={t('Variants')}
                lead={t('The first one is the control. A variant without changes serves what is live.')}
              >
                <VariantFields variants={variants} onChange={(next) => fields.onChange({ variants: next })} />
              </Section>
              <Audience {...fields} />
            </Stack>
          </fieldset>
          <Metrics {...fields} />
          <PlanSection draft={draft} />
        </Stack>
        {save.error && <ErrorNotice error={save.error} />}
        <Group justify="flex-end" mt="lg">
          {lack && <Hint size="sm">{lack}</Hint>}
          <Button variant="filled" type="submit" loading={save.isPending} disabled={lack !== undefined}>
            {isNew ? t('Save draft') : t('Save')}
          </Button>
        </Group>
      </form>
    </PageFrame>
  );
}

/** Names what is missing; undefined if nothing is. */
function lackOf({ experimentId = '', variants }: Experiment): string | undefined {
  if (!/^[\w-]{1,64}$/.test(experimentId)) return t('Enter an ID of letters, digits, “_” or “-”.');
  const names = variants.map(({ name }) => name);
  if (!names.every((name) => /^[\w-]{1,32}$/.test(name)))
    return t('Name every variant: letters, digits, “_” or “-”.');
  return new Set(names).size < names.length ? t('Variants need different names.') : undefined;
}

function Hypothesis({ draft, onChange, isNew }: FieldsProps & { isNew: boolean }) {
  return (
    <Section title={t('Hypothesis')}>
      <Stack gap="sm">
        <TextField
          label={t('ID')}
          description={t('Letters, digits, “_” or “-”.')}
          maxLength={64}
          disabled={!isNew}
          value={draft.experimentId ?? ''}
          onChange={(experimentId) => onChange({ experimentId })}
        />
        <TextArea
          label={t('Expected effect')}
          placeholder={t('e.g. A minimum of two new items raises clicks on the home page.')}
          minRows={2}
          maxLength={2_000}
          value={draft.hypothesis ?? ''}
          onChange={(hypothesis) => onChange({ hypothesis })}
        />
      </Stack>
    </Section>
  );
}

const metricOptions = experimentMetrics.map((value) => ({ value, label: metricLabel(value) }));
const usualHours = 24;

function Metrics({ draft, onChange }: FieldsProps) {
  const { ramp } = draft;
  const hours = ramp[0]?.hours ?? usualHours;
  const setRamp = (shares: number[], each: number) =>
    onChange({
      ramp: shares.toSorted((a, b) => a - b).map((share) => create(RampStepSchema, { share, hours: each })),
    });
  const shares = ramp.map(({ share }) => share);
  return (
    <Section
      title={t('Metric and guardrails')}
      lead={t('A variant that harms a guardrail stops the experiment.')}
    >
      <Stack gap="sm">
        <Select
          label={t('Primary metric')}
          data={metricOptions}
          allowDeselect={false}
          value={draft.metric ?? 'click_through_rate'}
          onChange={(metric) => onChange({ metric: metric ?? undefined })}
        />
        <Guardrails draft={draft} onChange={onChange} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TagsInput
            label={t('Ramp (% of the traffic)')}
            description={t('Growing steps, such as 1, 5, 25, 100. Empty: all at once.')}
            value={shares.map((share) => String(Math.round(share * 1e5) / 1e3))}
            onChange={(next) =>
              setRamp(
                next.map((text) => Number(text) / 100).filter((share) => share > 0 && share <= 1),
                hours,
              )
            }
          />
          {ramp.length > 0 && (
            <NumberInput
              label={t('Hours per step')}
              description={t('At least, before the next step.')}
              min={0}
              max={2_160}
              value={hours}
              onChange={(next) => setRamp(shares, Number(next))}
            />
          )}
        </SimpleGrid>
      </Stack>
    </Section>
  );
}

const mostGuardrails = 5;

function Guardrails({ draft: { guardrails, interleaved }, onChange }: FieldsProps) {
  const setGuardrail = (index: number, changes: object) =>
    onChange({ guardrails: guardrails.with(index, { ...guardrails[index], ...changes }) });
  return (
    <>
      {guardrails.map(({ metric, toleratedLoss = 0 }, index) => (
        <Group key={metric} align="flex-end" wrap="nowrap">
          <Select
            flex={1}
            label={t('Guardrail')}
            data={metricOptions}
            allowDeselect={false}
            value={metric}
            onChange={(next) => setGuardrail(index, { metric: next ?? metric })}
          />
          <Percent
            label={t('Tolerated loss (%)')}
            value={toleratedLoss}
            onChange={(loss) => setGuardrail(index, { toleratedLoss: loss })}
          />
          <RemoveButton
            name={t('the guardrail {metric}', { metric: metricLabel(metric) })}
            onClick={() => onChange({ guardrails: guardrails.toSpliced(index, 1) })}
          />
        </Group>
      ))}
      {guardrails.length < mostGuardrails && !interleaved && (
        <AddButton
          onClick={() => {
            const metric = experimentMetrics.find((one) => !guardrails.some((taken) => taken.metric === one));
            onChange({ guardrails: [...guardrails, create(GuardrailSchema, { metric })] });
          }}
        >
          {t('Add a guardrail')}
        </AddButton>
      )}
    </>
  );
}
