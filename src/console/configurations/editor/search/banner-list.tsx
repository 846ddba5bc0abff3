import { Group, Input, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Json, JsonObject } from '../../../grammar/document.ts';
import { memberText } from '../../../grammar/search-rules.ts';
import { AddButton, RemoveButton } from '../../../kit/fields.tsx';
import { t } from '../../../texts/texts.ts';

const mostBanners = 10;

/** Common fields; the names are free. */
const newBanner: JsonObject = { image: '', link: '', text: '' };

type BannerListProps = { banners: JsonObject[]; onChange(banners: JsonObject[]): void };

/** Banners, which the answer returns as they are. */
export function BannerList({ banners, onChange }: BannerListProps) {
  const hint = t('Returned with the results; your page displays them.');
  return (
    <Input.Wrapper label={t('Banners')} description={hint} labelElement="div">
      <Stack gap="xs" mt={6}>
        {banners.map((banner, index) => (
          <Banner
            // biome-ignore lint/suspicious/noArrayIndexKey: banners have no id
            key={index}
            name={t('Banner {number}', { number: index + 1 })}
            banner={banner}
            onChange={(next) => onChange(banners.with(index, next))}
            onRemove={() => onChange(banners.toSpliced(index, 1))}
          />
        ))}
        <AddButton disabled={banners.length >= mostBanners} onClick={() => onChange([...banners, newBanner])}>
          {t('Add a banner')}
        </AddButton>
      </Stack>
    </Input.Wrapper>
  );
}

type BannerProps = { name: string; banner: JsonObject; onChange(banner: JsonObject): void; onRemove(): void };

function Banner({ name, banner, onChange, onRemove }: BannerProps) {
  const members = Object.entries(banner);
  const set = (index: number, ...member: [string, Json][]) =>
    onChange(Object.fromEntries(members.toSpliced(index, 1, ...member)));
  return (
    <Paper p="sm" role="group" aria-label={name}>
      <Group justify="space-between" mb="xs">
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <RemoveButton name={name} onClick={onRemove} />
      </Group>
      <Stack gap="xs">
        {members.map(([key, value], index) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a field keeps its index while its name is typed
            key={index}
            gap="xs"
            wrap="nowrap"
          >
            <MemberName
              name={key}
              isTaken={(other) => other !== key && Object.hasOwn(banner, other)}
              onChange={(next) => set(index, [next, value])}
            />
            <TextInput
              aria-label={t('Value of {field}', { field: key })}
              value={memberText(value)}
              onChange={(event) => set(index, [key, readMember(event.currentTarget.value, value)])}
              flex={1}
              miw={0}
            />
            <RemoveButton name={key} onClick={() => set(index)} />
          </Group>
        ))}
        <AddButton
          variant="subtle"
          size="compact-xs"
          disabled={'' in banner}
          onClick={() => onChange({ ...banner, '': '' })}
        >
          {t('Add a field')}
        </AddButton>
      </Stack>
    </Paper>
  );
}

type MemberNameProps = { name: string; isTaken(name: string): boolean; onChange(name: string): void };

/** Reports a name once it is unique: typing `text_color` passes through `text`. */
function MemberName({ name, isTaken, onChange }: MemberNameProps) {
  const [taken, setTaken] = useState<string>();
  const change = (typed: string) => {
    setTaken(isTaken(typed) ? typed : undefined);
    if (!isTaken(typed)) onChange(typed);
  };
  return (
    <TextInput
      aria-label={t('Field')}
      value={taken ?? name}
      error={taken !== undefined}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => setTaken(undefined)}
      w={110}
    />
  );
}

/** Reads a value that was not text as JSON, if it is valid. */
function readMember(typed: string, before: Json): Json {
  if (typeof before === 'string') return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
