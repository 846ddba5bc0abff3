import { ActionIcon, Button, Group, Input, Paper, Stack, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { Json, JsonObject } from '../../../grammar/document.ts';
import { memberText } from '../../../grammar/search-rules.ts';
import { text } from './text.ts';

const mostBanners = 10;

/** What most pages draw; one may call it otherwise. */
const usual: JsonObject = { image: '', link: '', text: '' };

type BannerListProps = { banners: JsonObject[]; onChange(banners: JsonObject[]): void };

/** Objects that answers have as they are, field by field. */
export function BannerList({ banners, onChange }: BannerListProps) {
  return (
    <Input.Wrapper label={text.banners} description={text.bannersHint} labelElement="div">
      <Stack gap="xs" mt={6}>
        {banners.map((banner, place) => (
          <Banner
            // biome-ignore lint/suspicious/noArrayIndexKey: a banner is its place
            key={place}
            name={text.bannerName(place)}
            banner={banner}
            onChange={(next) =>
              onChange(banners.flatMap((one, i) => (i === place ? (next ? [next] : []) : [one])))
            }
          />
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={13} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          disabled={banners.length >= mostBanners}
          onClick={() => onChange([...banners, usual])}
        >
          {text.addBanner}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

type BannerProps = { name: string; banner: JsonObject; onChange(banner: JsonObject | undefined): void };

function Banner({ name, banner, onChange }: BannerProps) {
  const members = Object.entries(banner);
  const set = (place: number, member: [string, Json] | undefined) =>
    onChange(
      Object.fromEntries(members.flatMap((one, i) => (i === place ? (member ? [member] : []) : [one]))),
    );
  return (
    <Paper p="sm" role="group" aria-label={name}>
      <Group justify="space-between" mb="xs">
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Take out ${name}`}
          onClick={() => onChange(undefined)}
        >
          <X size={15} aria-hidden />
        </ActionIcon>
      </Group>
      <Stack gap="xs">
        {members.map(([key, value], place) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a field keeps its place while its name is typed
            key={place}
            gap="xs"
            wrap="nowrap"
          >
            <MemberName
              name={key}
              isTaken={(name) => name !== key && Object.hasOwn(banner, name)}
              onChange={(name) => set(place, [name, value])}
            />
            <TextInput
              aria-label={`Value of ${key}`}
              value={memberText(value)}
              onChange={(event) => set(place, [key, readMember(event.currentTarget.value, value)])}
              flex={1}
              miw={0}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Take out ${key}`}
              onClick={() => set(place, undefined)}
            >
              <X size={15} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<Plus size={13} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          disabled={'' in banner}
          onClick={() => onChange({ ...banner, '': '' })}
        >
          {text.addMember}
        </Button>
      </Stack>
    </Paper>
  );
}

type MemberNameProps = { name: string; isTaken(name: string): boolean; onChange(name: string): void };

/** A name that another field has is told when it goes on: `text_color` is `text` on its way. */
function MemberName({ name, isTaken, onChange }: MemberNameProps) {
  const [taken, setTaken] = useState<string>();
  const change = (typed: string) => {
    setTaken(isTaken(typed) ? typed : undefined);
    if (!isTaken(typed)) onChange(typed);
  };
  return (
    <TextInput
      aria-label="Field"
      value={taken ?? name}
      error={taken !== undefined}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => setTaken(undefined)}
      w={110}
    />
  );
}

/** What was no text before is read as JSON as long as it is some. */
function readMember(typed: string, before: Json): Json {
  if (typeof before === 'string') return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
